"""The walkthrough's flow of one order, as steps that can each be seen to hold or not."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from outbox_cli.orders.sending import place
from outbox_cli.stack.deployed import FUNCTIONS, Stack
from outbox_cli.status.stored import count_messages
from outbox_cli.trace.facts import read_log

ACCEPTED = "the command accepts the order"
FORWARDED = "the event is put on the queue"
COUNTED = "it is counted"
ACKNOWLEDGED = "its message leaves the queue"
LOGGED = {function: f"the {function}'s log tells of it" for function in FUNCTIONS}

AMOUNT_CENTS = 1000


@dataclass(frozen=True)
class Flow:
    """One order on its way."""

    stack: Stack
    order_id: str

    @property
    def event_id(self) -> str:
        """The identity of its event."""
        return f"order-created:{self.order_id}"

    def start(self) -> None:
        """Send the order to the command.

        Raises:
            RefusedOrderError: The command failed.
        """
        place(self.stack, {"order_id": self.order_id, "amount_cents": AMOUNT_CENTS})

    def first_failing_step(self) -> str | None:
        """The first step that does not hold as yet, or None when all is done."""
        return next((step for step, holds in self._steps() if not holds()), None)

    def _steps(self) -> Iterator[tuple[str, Callable[[], bool]]]:
        yield ACCEPTED, lambda: self._is_stored("source_table_name", f"OUTBOX#{self.event_id}")
        yield FORWARDED, lambda: self._is_forwarded() or self._is_counted()
        yield COUNTED, self._is_counted
        yield ACKNOWLEDGED, lambda: not self._messages()
        for function in FUNCTIONS:
            yield LOGGED[function], lambda function=function: self._is_logged(function)  # type: ignore[misc]  # bound now

    def _is_stored(self, table: str, partition_key: str) -> bool:
        key = {"PK": {"S": partition_key}, "SK": {"S": "EVENT"}}
        dynamodb = self.stack.clients("dynamodb")
        answer = dynamodb.get_item(TableName=self.stack[table], Key=key, ConsistentRead=True)
        return "Item" in answer

    def _is_forwarded(self) -> bool:
        return self._messages() > 0

    def _is_counted(self) -> bool:
        return self._is_stored("projection_table_name", f"INBOX#{self.event_id}")

    def _messages(self) -> int:
        """Nothing but this order is under way, so every message is its own."""
        queues = (self.stack["queue_url"], self.stack["dead_letter_queue_url"])
        counts = [count_messages(self.stack, url) for url in queues]
        return sum(each.available + each.in_flight for each in counts)

    def _is_logged(self, function: str) -> bool:
        return any(self.event_id in line.text for line in read_log(self.stack, function, self.event_id))
