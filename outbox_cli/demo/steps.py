"""The steps of the walkthrough, sections 7 to 11, in order: what is done, what is expected, what is seen.

Each step reads what is really stored, logged or counted; none takes its own doing for a result.
"""

from collections.abc import Iterator
from dataclasses import replace

from outbox_cli.demo.checks import Look, Tell, describe_queue
from outbox_cli.demo.exercise import WALKTHROUGH, Exercise
from outbox_cli.demo.stepping import Step
from outbox_cli.fault import switch
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts
from outbox_cli.waiting import Wait


def walkthrough(
    stack: Stack,
    wait: Wait,
    exercise: Exercise = WALKTHROUGH,
    *,
    has_fault: bool = True,
    tell: Tell = lambda _: None,
) -> Iterator[Step]:
    """The steps to run, one after the other; alone, on a freshly deployed stack.

    Args:
        stack: where to run them.
        wait: how to wait for what happens by itself.
        exercise: the orders to run them with.
        has_fault: whether the second order is placed, whose delivery fails on purpose.
        tell: told how far a long step is.
    """
    look = Look(stack, wait, exercise, tell)
    yield from _of_first(look)
    if has_fault:
        yield from _of_second(look)


def _of_first(look: Look) -> Iterator[Step]:
    first = look.exercise.first
    changed = replace(first, amount_cents=first.amount_cents * 2)
    accepted, total = f"ACCEPTED {first.event_id}", look.exercise.shown(look.exercise.added(1))
    refusal = f"refused: ORDER#{first.order_id} already exists with another amount_cents"
    name, amount = first.order_id, first.amount_cents
    yield Step(f"{name} for {amount} is accepted", accepted, lambda: look.placed(first))
    yield Step(
        "state and event are stored together",
        f"ORDER#{name}, OUTBOX#{first.event_id}",
        lambda: look.stored("source", (f"ORDER#{name}", "STATE"), (f"OUTBOX#{first.event_id}", "EVENT")),
    )
    yield Step("it is counted once", total, lambda: look.totals_with(first))
    yield Step("the same order again", f"ALREADY_{accepted}", lambda: look.placed(first))
    yield Step("the same order, another amount", refusal, lambda: look.placed(changed))
    yield Step(
        "the same event sent again by hand",
        "APPLIED, DUPLICATE_IGNORED",
        lambda: look.sent_again(first),
    )
    yield Step("totals are unchanged", total, lambda: look.totals(1))


def _of_second(look: Look) -> Iterator[Step]:
    exercise, second, receives = look.exercise, look.exercise.second, look.receives
    failed, total = look.failure_of(second), exercise.shown(exercise.added(2))
    deployed = switch.read_variables(look.stack)
    faulty = deployed | {switch.FAULT_VARIABLE: second.order_id}
    name, amount = second.order_id, second.amount_cents
    yield Step(f"fault on for {name}", look.describe(faulty), lambda: look.fault(name))
    yield Step(f"{name} for {amount} is accepted", f"ACCEPTED {second.event_id}", lambda: look.placed(second))
    yield Step(
        "its effect commits, its delivery fails",
        f"APPLIED, {failed}",
        lambda: look.first_failure(second),
    )
    yield Step("it is counted once", total, lambda: look.totals(2))
    yield Step(
        "its message ends in the dead-letter queue",
        f"{receives} failed deliveries; dead-lettered: {second.event_id}",
        lambda: look.dead_lettered(second),
    )
    yield Step("totals are unchanged", total, lambda: look.totals(2))
    yield Step("fault off", look.describe(deployed), lambda: look.fault(None))
    yield Step("redrive at one message a second", "1 moved", lambda: look.redriven(second))
    yield Step(
        "the redriven message changes nothing",
        f"DUPLICATE_IGNORED as result {receives + 1}, {receives} failures in all",
        lambda: look.consumed_after_redrive(second),
    )
    if exercise.is_alone:
        empty = describe_queue(QueueCounts(0, 0))
        yield Step("both queues are empty", f"delivery {empty}, dead-letter {empty}", look.queues)
    else:
        yield Step(
            "none of its messages is dead-lettered", "none", lambda: look.dead_letters_of(second) or "none"
        )
    markers = [f"INBOX#{each.event_id}" for each in (exercise.first, second)]
    yield Step(
        "both events have one marker",
        ", ".join(markers),
        lambda: look.stored("projection", *((each, "EVENT") for each in markers)),
    )
    yield Step("totals are still the same", total, lambda: look.totals(2))
