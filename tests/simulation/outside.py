"""Events around the functions: time, the queue's whims, and people who send, write and repair."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import orders
from outbox_cli.dead_letters.redrive import move
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.reconcile.search import reconcile
from tools.simulation.sqs import Message
from tools.soak.system import System

Chosen = TypeVar("Chosen")

ORDER_IDS = tuple("abcdefghijklmnopqrst")
AMOUNTS_CENTS = (1000, 2500)
WAITS_SECONDS = (1, 61, 3_601, 86_401)
# Bodies of rows that nobody's command wrote; none can ever be sent.
UNSENDABLE_BODIES: tuple[dict[str, Any] | None, ...] = (
    None,
    {"M": {}},
    {"N": "1"},
    {"S": ""},
    {"S": "bell \x07"},
)
GARBAGE = (
    "not JSON",
    "null",
    "[]",
    '"text"',
    "[" * 10_000,
    '{"event_id":"order-created:a"}',
    '{"a":1,"a":2}',
)


class Outside:
    """Steps that are no function's and no mapping's. Each takes small numbers."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.deleted: list[Message] = []
        self.poison_rows = 0

    def wait(self, how_long: int) -> None:
        """Time passes: retries fall due, messages show again, records age and are trimmed."""
        self.system.clock.wait(pick(WAITS_SECONDS, how_long))

    def redeliver(self, which: int) -> None:
        """A message is delivered although another consumer has it: at least once is no more than that."""
        messages = list(self.system.queue.messages.values())
        if messages:
            self.system.queue.show_again(pick(messages, which))

    def resurrect(self, which: int) -> None:
        """A deleted message is delivered once more, from a copy that missed the deletion."""
        if self.deleted:
            self.system.queue.show_again(pick(self.deleted, which))

    def reorder(self, which: int) -> None:
        """A message overtakes the others."""
        messages = self.system.queue.messages
        if messages:
            first = pick(list(messages.values()), which)
            del messages[first.id]
            self.system.queue.messages = {first.id: first, **messages}

    def send_again(self, order: int) -> None:
        """Somebody sends the event of an accepted order by hand."""
        row = self.rows().get(orders.event_id_of(pick(ORDER_IDS, order)))
        if row:
            self.system.queue.send(row["body"]["S"])

    def send_conflicting(self, order: int) -> None:
        """Somebody sends other content under the id of an event that was applied."""
        order_id = pick(ORDER_IDS, order)
        if orders.event_id_of(order_id) in self.markers():
            self.system.queue.send(orders.event_of(orders.Order(order_id, 999_999)).body)

    def send_garbage(self, which: int) -> None:
        """Somebody sends what is no event."""
        self.system.queue.send(pick(GARBAGE, which))

    def poison(self, which: int) -> None:
        """Somebody writes an outbox row that can never be sent."""
        self.poison_rows += 1
        event_id = f"poison-{self.poison_rows}"
        body = pick(UNSENDABLE_BODIES, which)
        row = {"PK": {"S": f"OUTBOX#{event_id}"}, "SK": {"S": "EVENT"}, "kind": {"S": "OUTBOX"}}
        self.system.source.store(
            {**row, "event_id": {"S": event_id}} | ({} if body is None else {"body": body})
        )

    def touch(self, order: int) -> None:
        """Somebody changes a stored order, and marks its outbox row."""
        order_id = pick(ORDER_IDS, order)
        for key in ((f"ORDER#{order_id}", "STATE"), (f"OUTBOX#{orders.event_id_of(order_id)}", "EVENT")):
            if item := self.system.source.items.get(key):
                self.system.source.store({**item, "status": {"S": "SHIPPED"}})

    def fault_flag(self, order: int) -> None:
        """The operator makes one order's messages fail after their commit, or none's."""
        self.system.fault_order_id = pick(("", *ORDER_IDS), order)

    def redrive(self) -> None:
        """The operator redrives the dead-letter messages."""
        move(self.system.stack(), 500, sleep=lambda _: None)

    def _reconciled(self, clients: Callable[[str], Any]) -> Reconciliation:
        return reconcile(replace(self.system.stack(), clients=clients), send=True, segments=1)

    # What there is.

    def receivable(self) -> list[Message]:
        """Messages that show."""
        now = self.system.clock.now()
        return [message for message in self.system.queue.messages.values() if message.visible_at <= now]

    def rows(self) -> dict[str, dict[str, Any]]:
        """Outbox rows by event id."""
        items = self.system.source.items.values()
        return {item["event_id"]["S"]: item for item in items if item["kind"]["S"] == "OUTBOX"}

    def markers(self) -> dict[str, str]:
        """Digests by the id of the applied event."""
        items = self.system.projection.items.items()
        return {pk.removeprefix("INBOX#"): item["digest"]["S"] for (pk, _), item in items if "digest" in item}


def pick(choices: "tuple[Chosen, ...] | list[Chosen]", which: int) -> Chosen:
    return choices[which % len(choices)]
