"""The outbox on the simulated AWS, moved by steps of a schedule: each a verb and small numbers.

A number chooses among what there is at that moment, round and round, and a step that finds nothing to choose
does nothing. So any list of steps is a schedule, and a schedule stays one when steps are taken out of it.
"""

import contextlib
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from local.event_sources.events import Record
from local.event_sources.invocation import Answered
from local.event_sources.lane import Lane
from local.event_sources.observation import Observation
from local.event_sources.retry import Batch
from local.event_sources.shard import Position, Shard
from local.simulation.faults import Fault
from local.simulation.invocation import Handler, Invocation, PendingCall
from local.simulation.sqs import Message
from ops.soak.system import System, SystemSettings
from tests.simulation.outside import AMOUNTS_CENTS, ORDER_IDS, Outside, pick

FAULTS = tuple(Fault)
CONSUMERS_MOST = 2
DICE_SIDES = 4


@dataclass(eq=False)
class Run:
    """An invocation, and what its mapping gave it; a poller that died leaves the run without an owner."""

    kind: str
    invocation: Invocation
    records: tuple[Record, ...] = ()
    delivery: tuple[Shard, Lane, Batch] | None = None
    is_owned: bool = True
    accepted: set[str] = field(default_factory=set)
    """Bodies that a queue has accepted from this run, as far as the run can know."""

    @property
    def is_done(self) -> bool:
        return self.invocation.result is not None


class ExecutorOfNothing:
    """For pollers whose deliveries are made elsewhere."""


class World(Outside):
    """Everything there is, and what has been seen so far."""

    def __init__(self, settings: SystemSettings = SystemSettings()) -> None:  # noqa: B008 - frozen
        super().__init__(System(settings))
        self.positions: dict[str, Position] = {}
        self.runs: list[Run] = []
        self.answers: list[tuple[Any, dict[str, Any]]] = []
        self.parked: set[str] = set()
        self.discarded: set[str] = set()
        self.acknowledged: list[Message] = []
        self.log: list[str] = []
        self.calls_out_of_order: list[str] = []
        self.started = 0
        self.consumer = self.system.queue_poller(self._service)
        self.restart_relay(0)

    # What a step may be. Each takes small numbers.

    def place(self, order: int, amount: int) -> None:
        """Somebody sends a command."""
        command = {"order_id": pick(ORDER_IDS, order), "amount_cents": pick(AMOUNTS_CENTS, amount)}
        self._start("command", self.system.command, command)

    def run(self, which: int, fault: int = 0, entry: int = 0) -> None:
        """A function makes its next call, under a fault or none."""
        if run := self._chosen(lambda run: not run.is_done, which):
            self._note_order(run)
            call = run.invocation.pending
            self._advance(run, lambda: run.invocation.advance(pick(FAULTS, fault), entry))
            self._note_accepted(run, call)

    def kill(self, which: int, after_call: int) -> None:
        """A function is killed, before or after its next call was done."""
        if run := self._chosen(lambda run: not run.is_done, which):
            self._note_order(run)
            self._advance(run, lambda: run.invocation.kill(after_call=bool(after_call % 2)))

    def settle(self, which: int) -> None:
        """A mapping goes on from the answer of a function that has ended: checkpoint, or delete."""
        if run := self._chosen(lambda run: run.is_done, which):
            self.runs.remove(run)
            result = run.invocation.result
            if run.is_owned and result:
                outcome = Answered(result.payload, result.function_error)
                if run.delivery:
                    shard, lane, batch = run.delivery
                    shard.settle(lane, batch, outcome)
                else:
                    self._settle_messages(run.records, outcome)

    def lose(self, which: int) -> None:
        """A poller dies with a delivery in hand; the function's run goes on with nobody waiting for it."""
        if run := self._chosen(lambda run: run.kind != "command" and run.is_owned, which):
            if run.kind == "relay":
                self.restart_relay(0)
            else:
                run.is_owned = False

    def read_stream(self) -> None:
        """The relay's mapping reads, and starts what is due."""
        for shard in self.relay.open_shards():
            shard.read()
            busy = [run.delivery[1] for run in self.runs if run.delivery]
            for lane, batch in shard.due(busy):
                records = [record.event for record in batch.records]
                self._start("relay", self.system.relay, {"Records": records}, (shard, lane, batch))

    def receive(self) -> None:
        """The consumer's mapping receives a batch, unless its concurrency is used up."""
        if sum(run.kind == "consumer" for run in self.runs) >= CONSUMERS_MOST:
            return
        for records in self.consumer.receive():
            self._start("consumer", self.system.consumer, {"Records": records})

    def restart_relay(self, forgets: int) -> None:
        """The relay's poller starts anew at its checkpoint, or as a replaced mapping at the oldest record."""
        if forgets % 2:
            self.positions.clear()
        for run in self.runs:
            if run.kind == "relay":
                run.is_owned, run.delivery = False, None
        self.relay = self.system.stream_poller(
            self._service,
            positions=self.positions,
            executor=ExecutorOfNothing(),  # type: ignore[arg-type]  # never asked
            observer=self._observe,
        )

    def finish(self) -> None:
        """All that is under way runs to its end without a fault, and what follows from it at once as well."""
        self.read_stream()
        self.receive()
        while self.runs:
            if any(not run.is_done for run in self.runs):
                self.run(0)
            else:
                self.settle(0)
            self.read_stream()
            self.receive()

    def heal(self) -> None:
        """Faults end, and time passes until nothing moves any more.

        Raises:
            AssertionError: It never comes to rest.
        """
        self.fault_flag(0)
        for _ in range(40):
            before = self._progress()
            self.finish()
            self.wait(1)
            if self._progress() == before and not self.system.queue.messages:
                return
        raise AssertionError("without any fault the system does not come to rest")

    # How it is done.

    def _start(
        self, kind: str, handler: Handler, event: Any, delivery: tuple[Shard, Lane, Batch] | None = None
    ) -> None:
        event = json.loads(json.dumps(event))
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            dice = (self.started % DICE_SIDES + 0.5) / DICE_SIDES
            invocation = Invocation(handler, event, self.system.client, timeout_seconds=10, dice=dice)
        self.started += 1
        run = Run(kind, invocation, tuple(event.get("Records", [])), delivery)
        self.runs.append(run)
        self._ended(run, output.getvalue())

    def _advance(self, run: Run, step: Callable[[], None]) -> None:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            step()
        self._ended(run, output.getvalue())

    def _ended(self, run: Run, output: str) -> None:
        """Note what a run that has ended said; a run starts over with each step, and so does its output."""
        if not run.invocation.result:
            return
        lines = output.splitlines()
        self.log += lines
        self.parked |= {line.split()[1] for line in lines if line.startswith("RELAY_PARKED ")}
        if run.kind == "command":
            self.answers.append((run.invocation.event, json.loads(run.invocation.result.payload)))
            self.runs.remove(run)

    def _settle_messages(self, records: Sequence[Record], outcome: Answered) -> None:
        before = dict(self.system.queue.messages)
        self.consumer.settle(records, outcome)
        gone = [message for key, message in before.items() if key not in self.system.queue.messages]
        self.deleted += gone
        self.acknowledged += gone

    def _note_order(self, run: Run) -> None:
        """Note a call of the relay that overtakes an event which no queue has accepted yet."""
        call = run.invocation.pending
        if run.kind != "relay" or call is None:
            return
        bodies = {entry["MessageBody"] for entry in call.request["Entries"]}
        waiting = [body for record in run.records if (body := _sendable(record)) and body not in run.accepted]
        in_call = [body in bodies for body in waiting]
        if False in in_call[: sum(in_call)]:
            self.calls_out_of_order.append(waiting[in_call.index(False)])

    def _note_accepted(self, run: Run, call: PendingCall | None) -> None:
        if run.kind == "relay" and call and run.invocation.replies:
            reply = run.invocation.replies[-1]
            accepted = {entry["Id"] for entry in (reply.answer or {}).get("Successful", [])}
            run.accepted |= {
                entry["MessageBody"] for entry in call.request["Entries"] if entry["Id"] in accepted
            }

    def _observe(self, seen: Observation) -> None:
        self.discarded |= set(seen.sequence_numbers)

    def _service(self, service: str, role_arn: str | None) -> Any:
        return _FunctionsOfRoles() if service == "lambda" else self.system.client(service)

    def _chosen(self, wanted: Callable[[Run], bool], which: int) -> Run | None:
        candidates = [run for run in self.runs if wanted(run)]
        return pick(candidates, which) if candidates else None

    def _progress(self) -> Any:
        return (
            len(self.log),
            dict(self.positions),
            len(self.system.dead_letters.messages),
        )


class _FunctionsOfRoles:
    """What a poller asks Lambda when it starts; deliveries are made by the world."""

    def get_function_configuration(self, **_: Any) -> dict[str, str]:
        return {"Role": "role"}


def _sendable(record: Record) -> str | None:
    """The body of a stored event, unless no queue will ever accept it."""
    body: str | None = record["dynamodb"]["NewImage"].get("body", {}).get("S")
    return body if body and body.isprintable() else None
