"""Functions on their way through an event, and what their pollers need besides."""

from dataclasses import dataclass, field
from typing import Any

from outbox_local.event_sources.concurrent_batch import ConcurrentBatch
from outbox_local.event_sources.events import Record
from outbox_local.event_sources.retry import Batch
from outbox_local.event_sources.shard import Shard
from tools.simulation.faults import Fault
from tools.simulation.invocation import Invocation, PendingCall

LEAST_OF_MANY = {"send_message_batch": 2, "transact_write_items": 3, "delete_message_batch": 2}
"""Entries or actions from which on a call is about several events; one event alone is a marker and a total."""


@dataclass(eq=False)
class Run:
    """An invocation, and what its mapping gave it; a poller that died leaves the run without an owner."""

    kind: str
    invocation: Invocation
    records: tuple[Record, ...] = ()
    delivery: tuple[Shard, ConcurrentBatch, Batch] | None = None
    is_owned: bool = True
    accepted: set[str] = field(default_factory=set)
    """Bodies that a queue has accepted from this run, as far as the run can know."""

    @property
    def is_done(self) -> bool:
        return self.invocation.result is not None

    @property
    def is_untouched(self) -> bool:
        """Whether it has made no call, so that nothing tells that it was ever started."""
        return not self.is_done and not self.invocation.replies

    def overtaken(self) -> str | None:
        """The body that a relay's pending call overtakes: no queue has accepted it yet."""
        call = self.invocation.pending
        if self.kind != "relay" or call is None:
            return None
        bodies = {entry["MessageBody"] for entry in call.request["Entries"]}
        waiting = [
            body for record in self.records if (body := _sendable(record)) and body not in self.accepted
        ]
        in_call = [body in bodies for body in waiting]
        return waiting[in_call.index(False)] if False in in_call[: sum(in_call)] else None

    def note_accepted(self, call: PendingCall) -> None:
        """Remember what a queue has accepted of a relay's call that was just answered."""
        if self.kind == "relay":
            answer = self.invocation.replies[-1].answer or {}
            accepted = {entry["Id"] for entry in answer.get("Successful", [])}
            self.accepted |= {
                entry["MessageBody"] for entry in call.request["Entries"] if entry["Id"] in accepted
            }


class Runs(list[Run]):
    """All functions under way, and those that a step can choose among."""

    def running(self) -> list[Run]:
        """At a call."""
        return [run for run in self if not run.is_done]

    def ended(self) -> list[Run]:
        """Whose answer nobody has taken yet."""
        return [run for run in self if run.is_done]

    def owned(self) -> list[Run]:
        """That a poller waits for."""
        return [run for run in self if run.kind != "command" and run.is_owned]

    def untouched(self) -> list[Run]:
        """Of pollers, that have done nothing yet."""
        return [run for run in self.owned() if run.is_untouched]


def described(operation: str, request: dict[str, Any], fault: Fault) -> str:
    """A disturbed call in words, to be counted."""
    size = len(request.get("Entries", request.get("TransactItems", [])))
    of_many = " of many" if size >= LEAST_OF_MANY.get(operation, 2) else ""
    return f"{operation}{of_many}: {fault.name}"


class ExecutorOfNothing:
    """For pollers whose deliveries are made elsewhere."""


class FunctionsOfRoles:
    """The call of Lambda that a poller makes when it starts; deliveries are made by the world."""

    def get_function_configuration(self, **_: Any) -> dict[str, str]:
        """The function's role."""
        return {"Role": "role"}


def _sendable(record: Record) -> str | None:
    """The body of a stored event, unless no queue will ever accept it."""
    body: str | None = record["dynamodb"]["NewImage"].get("body", {}).get("S")
    return body if body and body.isprintable() else None
