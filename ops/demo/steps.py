"""The steps of the walkthrough, sections 7 to 11, in order: what is done, what is expected, what is seen.

Each step reads what is really stored, logged or counted; none takes its own doing for a result.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ops import fault
from ops.dead_letters import list_dead_letters
from ops.demo.waiting import Wait
from ops.errors import RefusedOrderError
from ops.orders import order_created_body, place, send
from ops.redrive import move_all
from ops.stack import Stack
from ops.status import QueueCounts, Totals, count_messages, read_totals, scan
from ops.trace import read_log

ORDER_A = {"order_id": "order-a", "amount_cents": 1000}
ORDER_A_CHANGED = {"order_id": "order-a", "amount_cents": 2000}
ORDER_B = {"order_id": "order-b", "amount_cents": 2500}
EVENT_A = "order-created:order-a"
EVENT_B = "order-created:order-b"
REFUSAL = "refused: ORDER#order-a already exists with another amount_cents"
INJECTED = "RETRY RuntimeError: INJECTED_AFTER_COMMIT"
FAILED_B = f"{INJECTED} {EVENT_B}"
AFTER_A = Totals(order_count=1, revenue_cents=1000)
AFTER_B = Totals(order_count=2, revenue_cents=3500)
REDRIVEN_PER_SECOND = 1
RESULT_AND_FAILURE = 2  # the two lines of the first delivery that fails after its commit


@dataclass(frozen=True)
class Step:
    """One step: its name, what must be seen, and how to see it."""

    name: str
    expected: str
    see: Callable[[], str]


def walkthrough(stack: Stack, wait: Wait) -> Iterator[Step]:
    """The steps to run on a freshly deployed stack, one after the other.

    Args:
        stack: where to run them; its tables and queues are empty.
        wait: how to wait for what happens by itself.
    """
    receives = _max_receives(stack)

    def placed(order: dict[str, object]) -> str:
        try:
            answer = place(stack, order)
        except RefusedOrderError as refusal:
            return f"refused: {str(refusal).partition(';')[0]}"
        return f"{answer['result']} {answer['event_id']}"

    def totals_reaching(goal: Totals) -> str:
        return str(wait.until(lambda: read_totals(stack), lambda seen: seen == goal))

    def keys_of(table: str, kinds: tuple[str, ...]) -> str:
        items = scan(stack, stack[table])
        return ", ".join(sorted(item["PK"] for item in items if item["kind"] in kinds))

    def consumer_results(event_id: str, count: int) -> list[str]:
        return wait.until(lambda: _results(stack, event_id), lambda seen: len(seen) >= count)

    def sent_again() -> str:
        send(stack, order_created_body("order-a", 1000))
        return ", ".join(consumer_results(EVENT_A, 2))

    def first_failure() -> str:
        lines = wait.until(lambda: _after(stack, EVENT_B), lambda seen: len(seen) >= RESULT_AND_FAILURE)
        return ", ".join(lines[:RESULT_AND_FAILURE])

    def dead_lettered() -> str:
        wait.until(
            lambda: count_messages(stack, stack["dead_letter_queue_url"]), lambda seen: seen.available > 0
        )
        failures = sum(line == FAILED_B for line in _after(stack, EVENT_B))
        bodies = [json.loads(each.body) for each in list_dead_letters(stack).letters]
        messages = ", ".join(f"{each['event_id']} {each['amount_cents']}" for each in bodies)
        return f"{failures} failed deliveries; dead letters: {messages}"

    def redriven() -> str:
        moved = move_all(stack, REDRIVEN_PER_SECOND)
        return f"{moved.status}, {moved.moved} moved" if moved else "SQS has no task that moves messages"

    def consumed_after_redrive() -> str:
        results = consumer_results(EVENT_B, receives + 1)
        failures = sum(line == FAILED_B for line in _after(stack, EVENT_B))
        return f"{results[-1]} as result {len(results)}, {failures} failures in all"

    def queues() -> str:
        def counts() -> tuple[QueueCounts, QueueCounts]:
            return (
                count_messages(stack, stack["queue_url"]),
                count_messages(stack, stack["dead_letter_queue_url"]),
            )

        delivery, dead = wait.until(counts, lambda seen: all(each.empty for each in seen))
        return f"delivery {describe_queue(delivery)}, dead letters {describe_queue(dead)}"

    def variables(order_id: str | None) -> str:
        return describe_variables(fault.set_fault(stack, order_id), stack)

    deployed = fault.read_variables(stack)
    with_fault = deployed | {fault.FAULT_VARIABLE: "order-b"}

    empty = describe_queue(QueueCounts(0, 0))
    yield Step("order-a for 1000 is accepted", f"ACCEPTED {EVENT_A}", lambda: placed(ORDER_A))
    yield Step(
        "state and event are stored together",
        f"ORDER#order-a, OUTBOX#{EVENT_A}",
        lambda: keys_of("source_table_name", ("ORDER", "OUTBOX")),
    )
    yield Step("it is counted once", str(AFTER_A), lambda: totals_reaching(AFTER_A))
    yield Step("the same order again", f"ALREADY_ACCEPTED {EVENT_A}", lambda: placed(ORDER_A))
    yield Step("the same order, another amount", REFUSAL, lambda: placed(ORDER_A_CHANGED))
    yield Step("the same event sent again by hand", "APPLIED, DUPLICATE_IGNORED", sent_again)
    yield Step("totals are unchanged", str(AFTER_A), lambda: str(read_totals(stack)))
    yield Step(
        "fault on for order-b",
        describe_variables(with_fault, stack),
        lambda: variables("order-b"),
    )
    yield Step("order-b for 2500 is accepted", f"ACCEPTED {EVENT_B}", lambda: placed(ORDER_B))
    yield Step("its effect commits, its delivery fails", f"APPLIED, {FAILED_B}", first_failure)
    yield Step("it is counted once", str(AFTER_B), lambda: str(read_totals(stack)))
    yield Step(
        "its message ends in the dead-letter queue",
        f"{receives} failed deliveries; dead letters: {EVENT_B} 2500",
        dead_lettered,
    )
    yield Step("totals are unchanged", str(AFTER_B), lambda: str(read_totals(stack)))
    yield Step("fault off", describe_variables(deployed, stack), lambda: variables(None))
    yield Step("redrive at one message a second", "COMPLETED, 1 moved", redriven)
    yield Step(
        "the redriven message changes nothing",
        f"DUPLICATE_IGNORED as result {receives + 1}, {receives} failures in all",
        consumed_after_redrive,
    )
    yield Step("both queues are empty", f"delivery {empty}, dead letters {empty}", queues)
    yield Step(
        "both events have one marker",
        f"INBOX#{EVENT_A}, INBOX#{EVENT_B}",
        lambda: keys_of("projection_table_name", ("INBOX",)),
    )
    yield Step("totals are still the same", str(AFTER_B), lambda: str(read_totals(stack)))


def describe_queue(counts: QueueCounts) -> str:
    """A queue's counters as the table shows them."""
    return f"{counts.available} available + {counts.in_flight} in flight"


def describe_variables(variables: dict[str, str], stack: Stack) -> str:
    """The consumer's variables by name, with the value of each that is not a resource's name."""
    shown = [
        name if value == stack["projection_table_name"] else f"{name}={value}"
        for name, value in sorted(variables.items(), reverse=True)
    ]
    return ", ".join(shown)


def _results(stack: Stack, event_id: str) -> list[str]:
    """The consumer's log words about one event, in order: APPLIED, DUPLICATE_IGNORED ..."""
    lines = (line.text.split() for line in read_log(stack, "consumer", event_id))
    return [words[0] for words in lines if words[1:] == [event_id]]


def _after(stack: Stack, event_id: str) -> list[str]:
    """The consumer's outcomes from the first word about an event on: its results, and every failure since."""
    outcomes: list[str] = []
    for line in read_log(stack, "consumer"):
        words = line.text.split()
        if words[1:] == [event_id]:
            outcomes.append(words[0])
        elif outcomes and words[:1] == ["RETRY"]:
            outcomes.append(line.text)
    return outcomes


def _max_receives(stack: Stack) -> int:
    """How often a message is delivered before it is dead-lettered, as the deployed queue says."""
    attributes = stack.clients("sqs").get_queue_attributes(
        QueueUrl=stack["queue_url"], AttributeNames=["RedrivePolicy"]
    )["Attributes"]
    return int(json.loads(attributes["RedrivePolicy"])["maxReceiveCount"])
