"""Actions and observations of the walkthrough's steps on a stack, in the words that they expect."""

import json
from collections.abc import Callable

from outbox_cli.dead_letters.messages import list_dead_letters, read_digests
from outbox_cli.dead_letters.redrive import move
from outbox_cli.demo.exercise import Exercise, Order
from outbox_cli.errors import RefusedOrderError
from outbox_cli.fault import switch
from outbox_cli.orders.sending import place, send
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts, Totals, count_messages, read_totals
from outbox_cli.trace.facts import read_item, read_log
from outbox_cli.waiting import Wait

INJECTED = "RETRY RuntimeError: INJECTED_AFTER_COMMIT"
REDRIVEN_PER_SECOND = 1
SOUGHT_AMONG = 1000  # dead-letter messages of others beside the exercise's own
RESULT_AND_FAILURE = 2  # the two lines of the first delivery that fails after its commit

# Lines reach CloudWatch some seconds after they were written.
LOG_DELAY = Wait(timeout_seconds=15.0)

Tell = Callable[[str], None]
"""Told how far a step is that takes minutes."""


class Look:
    """Actions and observations on a stack, in the words that the steps expect."""

    def __init__(self, stack: Stack, wait: Wait, exercise: Exercise, tell: Tell) -> None:
        self.stack = stack
        self.exercise = exercise
        self.receives = max_receives(stack)
        self._wait = wait
        self._tell = tell

    def placed(self, order: Order) -> str:
        """Places an order: what the command answers."""
        try:
            answer = place(self.stack, order.command)
        except RefusedOrderError as refusal:
            return f"refused: {str(refusal).partition(';')[0]}"
        return f"{answer['result']} {answer['event_id']}"

    def stored(self, table: str, *keys: tuple[str, str]) -> str:
        """Which of these items a table holds."""
        return ", ".join(key[0] for key in keys if read_item(self.stack, table, *key))

    def totals_with(self, order: Order) -> str:
        """The totals, once the order's event has its marker."""
        self._wait.until(lambda: read_digests(self.stack, [order.event_id]), bool)
        return self.totals(1)

    def totals(self, orders: int) -> str:
        """Amounts added; beside other events, whether they are at least the exercise's own."""
        own, added = self.exercise.added(orders), read_totals(self.stack) - self.exercise.before
        if not self.exercise.is_alone and _exceeds(added, own):
            events = {self.exercise.first.event_id, self.exercise.second.event_id}
            if self._others_were_applied(events):
                added = own
        return self.exercise.shown(added)

    def _others_were_applied(self, own: set[str]) -> bool:
        """Whether the consumer's log names an event that was applied meanwhile and is not one's own."""

        def has_others() -> bool:
            lines = read_log(self.stack, "consumer", "APPLIED", self.exercise.since_ms)
            words = [line.text.split() for line in lines]
            return any(each[:1] == ["APPLIED"] and not own.issuperset(each[1:2]) for each in words)

        return LOG_DELAY.until(has_others, bool)

    def sent_again(self, order: Order) -> str:
        """Sends an order's event by hand: all results of it then."""
        send(self.stack, order.body)
        return ", ".join(self._results_reaching(order, 2))

    def first_failure(self, order: Order) -> str:
        """The consumer's log line of the first delivery."""
        lines = self._wait.until(lambda: self._outcomes(order), lambda seen: len(seen) >= RESULT_AND_FAILURE)
        return ", ".join(lines[:RESULT_AND_FAILURE])

    def dead_lettered(self, order: Order) -> str:
        """Waits for the dead-letter message: how often it failed, and its events."""

        def look() -> str:
            self._tell(
                f"its message ends in the dead-letter queue: {self._failures(order)} of {self.receives}"
            )
            return self.dead_letters_of(order)

        event_ids = self._wait.until(look, bool)
        return f"{self._failures(order)} failed deliveries; dead-lettered: {event_ids}"

    def dead_letters_of(self, order: Order) -> str:
        """Its messages there; alone, all that are there."""
        if not count_messages(self.stack, self.stack["dead_letter_queue_url"]).available:
            return ""
        found = list_dead_letters(self.stack, SOUGHT_AMONG).messages
        ids = [
            str(each.event_id) for each in found if self.exercise.is_alone or each.event_id == order.event_id
        ]
        return ", ".join(ids)

    def redriven(self, order: Order) -> str:
        """Moves its messages back to the delivery queue: how many."""
        done = move(self.stack, REDRIVEN_PER_SECOND, lambda message: message.event_id == order.event_id)
        return f"{len(done.moved)} moved"

    def consumed_after_redrive(self, order: Order) -> str:
        """The result of the delivery behind the redrive, and the failures until then."""
        results = self._results_reaching(order, self.receives + 1)
        return f"{results[-1]} as result {len(results)}, {self._failures(order)} failures in all"

    def queues(self) -> str:
        """Counters of both queues, once they are empty."""

        def counts() -> tuple[QueueCounts, QueueCounts]:
            delivery, dead = self.stack["queue_url"], self.stack["dead_letter_queue_url"]
            return count_messages(self.stack, delivery), count_messages(self.stack, dead)

        delivery, dead = self._wait.until(counts, lambda seen: all(each.empty for each in seen))
        return f"delivery {describe_queue(delivery)}, dead-letter {describe_queue(dead)}"

    def fault(self, order_id: str | None) -> str:
        """Switches the fault: the variables that the consumer has then."""
        return self.describe(switch.set_fault(self.stack, order_id))

    def describe(self, variables: dict[str, str]) -> str:
        """The consumer's variables by name, with the value of each that is not a resource's name."""
        shown = [
            name if value == self.stack["projection_table_name"] else f"{name}={value}"
            for name, value in sorted(variables.items(), reverse=True)
        ]
        return ", ".join(shown)

    def failure_of(self, order: Order) -> str:
        """The consumer's line of a delivery that failed on purpose."""
        return f"{INJECTED} {order.event_id}"

    def _results_reaching(self, order: Order, count: int) -> list[str]:
        def results() -> list[str]:
            return [each for each in self._outcomes(order) if not each.startswith("RETRY")]

        return self._wait.until(results, lambda seen: len(seen) >= count)

    def _failures(self, order: Order) -> int:
        return sum(each == self.failure_of(order) for each in self._outcomes(order))

    def _outcomes(self, order: Order) -> list[str]:
        """The consumer's log about one event, in order: its results, and every failed delivery."""
        lines = read_log(self.stack, "consumer", order.event_id, self.exercise.since_ms)
        texts = [line.text for line in lines]
        return [
            text.removesuffix(f" {order.event_id}") if not text.startswith("RETRY") else text
            for text in texts
            if order.event_id in text.split()
        ]


def describe_queue(counts: QueueCounts) -> str:
    """A queue's counters as the table shows them."""
    return f"{counts.available} available + {counts.in_flight} in flight"


def max_receives(stack: Stack) -> int:
    """How often a message is delivered before it is dead-lettered, as the deployed queue says."""
    attributes = stack.clients("sqs").get_queue_attributes(
        QueueUrl=stack["queue_url"], AttributeNames=["RedrivePolicy"]
    )["Attributes"]
    return int(json.loads(attributes["RedrivePolicy"])["maxReceiveCount"])


def _exceeds(added: Totals, own: Totals) -> bool:
    return added.order_count > own.order_count and added.revenue_cents > own.revenue_cents
