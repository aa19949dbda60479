"""What a redrive adds is predicted from the inbox, and the totals are held to it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from outbox_cli.dead_letters import checked_redrive
from outbox_cli.dead_letters.checked_redrive import CheckedRedrive, Outcome, redrive
from outbox_cli.dead_letters.letters import InboxState, list_dead_letters
from outbox_cli.dead_letters.prediction import Prediction
from outbox_cli.dead_letters.view import redrive_lines
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals
from outbox_cli.waiting import Wait
from tests.outbox_cli.dead_letters.world import World, body
from tools.simulation.errors import client_error


class Services:
    """The simulated services, with a log of the consumer, and with or without tasks that move messages."""

    def __init__(self, world: World, *, has_tasks: bool = True, log: tuple[str, ...] = ()) -> None:
        self._world = world
        self._has_tasks = has_tasks
        self._log = log
        self.patterns: list[str] = []

    def __call__(self, service: str) -> Any:
        return self if service in ("logs", "sqs") else self._world.system.client(service)

    def __getattr__(self, operation: str) -> Any:
        if operation.endswith(("move_task", "move_tasks")) and not self._has_tasks:
            return self._refuse
        return getattr(self._world.system.client("sqs"), operation)

    def _refuse(self, **_: Any) -> None:
        raise client_error("StartMessageMoveTask", "InvalidAction")

    def get_paginator(self, _: str) -> "Services":
        return self

    def paginate(self, **request: Any) -> list[dict[str, Any]]:
        self.patterns.append(f"{request['filterPattern']} since {request['startTime']}")
        return [{"events": [{"timestamp": 1, "message": line} for line in self._log]}]


def stack_of(world: World, services: Services) -> Stack:
    outputs = {**world.stack.outputs, "consumer_log_group_name": "log"}
    return replace(world.stack, outputs=outputs, clients=services)


def run(
    world: World,
    services: Services | None = None,
    only: InboxState | None = None,
    consume: Callable[[], object] | None = None,
) -> CheckedRedrive:
    wait = Wait(timeout_seconds=3, clock=iter(range(100)).__next__, sleep=lambda _: None)
    stack = stack_of(world, services or Services(world))

    def drained(_: float) -> None:
        (consume or world.settle)()

    return redrive(
        stack,
        500,
        only,
        replace(wait, sleep=drained),
        log_delay=Wait(timeout_seconds=0),
        sleep=lambda _: None,
        now=lambda: 7.0,
    )


def mixed() -> World:
    world = World()
    world.add("new", 5, copies=2)
    world.add("old", 6, applied=True)
    return world


@pytest.mark.parametrize("has_tasks", [True, False])
def test_redrive_of_all_counts_each_event_once_and_says_so(has_tasks: bool) -> None:
    world = mixed()

    done = run(world, Services(world, has_tasks=has_tasks))

    assert (done.outcome, done.ok, done.moved) == (Outcome.AS_PREDICTED, True, 3)
    assert done.added == done.prediction.least == done.prediction.most == Totals(1, 5)
    assert world.totals() == world.due()


@pytest.mark.parametrize(("only", "moved", "added"), [("applied", 1, 0), ("unapplied", 2, 1)])
def test_redrive_of_one_state_predicts_and_moves_that_alone(only: str, moved: int, added: int) -> None:
    world = mixed()

    done = run(world, only=InboxState(only))

    assert (done.outcome, done.moved, done.added.order_count) == (Outcome.AS_PREDICTED, moved, added)


def test_redrive_of_an_empty_queue_moves_nothing() -> None:
    done = run(World())

    assert (done.outcome, done.moved, done.ok) == (Outcome.NOTHING_MOVED, 0, True)


def test_messages_that_come_back_are_told_and_not_waited_for() -> None:
    world = mixed()
    world.add_conflicting("changed", 7)
    world.add_refused("unreadable")
    waits: list[None] = []

    def consume() -> None:
        waits.append(None)
        world.drain()

    done = run(world, consume=consume)

    assert (done.outcome, done.prediction.comes_back, len(waits)) == (Outcome.AS_PREDICTED, 2, 1)
    assert world.system.queue.messages


def test_two_contents_of_one_event_are_predicted_as_two_bounds_and_one_comes_back() -> None:
    world = World()
    for amount in (5, 9):
        world.system.dead_letters.send(body("twice", amount))

    done = run(world, consume=world.drain)

    assert (done.prediction.least, done.prediction.most) == (Totals(1, 5), Totals(1, 9))
    assert (done.prediction.comes_back, done.outcome) == (1, Outcome.AS_PREDICTED)
    assert str(done.prediction) == "1 order, 5 cents to 9 cents"


def test_event_that_is_not_applied_in_time_fails_the_check_and_is_named() -> None:
    world = mixed()

    done = run(world, consume=lambda: None)

    assert (done.outcome, done.ok) == (Outcome.NOT_APPLIED, False)
    assert done.unapplied == ["order-created:new"]


def test_event_that_others_apply_meanwhile_with_other_content_is_not_taken_for_the_one_that_was_moved() -> (
    None
):
    world = World()
    world.add("new", 5)

    def overtaken() -> None:
        world.system.queue.receive(1, visibility_seconds=1000)
        world.system.queue.send(body("new", 6))
        world.drain()

    done = run(world, consume=overtaken)

    assert (done.outcome, done.unapplied) == (Outcome.NOT_APPLIED, ["order-created:new"])


class TakesNone(Services):
    """SQS that refuses every message that is sent."""

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        failed = {"SenderFault": True, "Code": "InvalidMessageContents"}
        return {"Failed": [{"Id": each["Id"], **failed} for each in request["Entries"]]}


def test_letter_that_sqs_does_not_take_fails_the_redrive_and_is_named() -> None:
    world = World()
    world.add("new", 5)

    done = run(world, TakesNone(world, has_tasks=False))

    assert (done.outcome, done.moved, done.ok) == (Outcome.NOTHING_MOVED, 0, False)
    assert redrive_lines(done)[1] == "SQS did not take message dead-letters-1 (InvalidMessageContents)."


def other_order(world: World) -> None:
    world.system.queue.send(body("other", 100))
    world.settle()


def test_totals_moved_by_others_cannot_be_compared() -> None:
    world = mixed()
    services = Services(
        world, log=("APPLIED order-created:new", "DUPLICATE_IGNORED x", "APPLIED order-created:other")
    )

    done = run(world, services, consume=lambda: other_order(world))

    assert (done.outcome, done.ok) == (Outcome.OTHER_TRAFFIC, True)
    assert services.patterns == ['"APPLIED" since 7000']


def test_totals_that_differ_without_other_traffic_fail_the_check() -> None:
    world = mixed()
    services = Services(world, log=("APPLIED order-created:new", "DUPLICATE_IGNORED order-created:other"))

    done = run(world, services, consume=lambda: other_order(world))

    assert (done.outcome, done.ok, done.added) == (Outcome.DIFFERENT, False, Totals(2, 105))


def test_total_that_lacks_an_applied_event_is_never_put_down_to_other_traffic() -> None:
    world = mixed()
    services = Services(world, log=("APPLIED order-created:other",))

    def marker_alone() -> None:
        world.settle()
        del world.system.projection.items["SALES", "TOTAL"]

    done = run(world, services, consume=marker_alone)

    assert (done.outcome, services.patterns) == (Outcome.DIFFERENT, [])


def test_more_messages_than_are_looked_at_are_moved_and_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checked_redrive, "LISTED_MOST", 1)
    world = World()
    world.add("one", 5)
    world.add("two", 6)

    done = run(world)

    assert (done.outcome, done.moved) == (Outcome.NOT_COMPARED, 2)
    assert world.totals() == world.due()


@pytest.mark.parametrize("has_tasks", [True, False])
@pytest.mark.parametrize(("hidden", "outcome"), [(1, Outcome.AS_PREDICTED), (2, Outcome.NOTHING_MOVED)])
def test_letters_that_another_reader_hides_are_counted_and_all_is_not_claimed(
    hidden: int, outcome: Outcome, has_tasks: bool
) -> None:
    world = World()
    world.add("one", 5, copies=2)
    world.system.dead_letters.receive(hidden, visibility_seconds=1000)

    done = run(world, Services(world, has_tasks=has_tasks))

    assert (done.outcome, done.hidden.count, done.ok) == (outcome, hidden, False)


def test_prediction_counts_an_event_once_however_many_messages_it_has() -> None:
    world = mixed()

    prediction = Prediction.of(list_dead_letters(world.stack).letters)

    assert (prediction.least, prediction.comes_back) == (Totals(1, 5), 0)


@pytest.mark.parametrize("dead_letters", [0, 3])
def test_redrive_beside_traffic_waits_for_its_own_events_alone(dead_letters: int) -> None:
    world = mixed() if dead_letters else World()
    waits: list[None] = []

    def consume_and_sell() -> None:
        waits.append(None)
        world.drain()
        traffic(world, len(waits))

    traffic(world, 0)

    done = run(world, Services(world, log=("APPLIED order-created:traffic-1",)), consume=consume_and_sell)

    assert (done.moved, done.unapplied, len(waits)) == (dead_letters, [], bool(dead_letters))
    assert done.ok


def test_redrive_that_moves_nothing_while_others_are_applied_asks_no_log() -> None:
    world = World()
    services = Services(world)
    totals = iter([Totals(1, 5), Totals(2, 9)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checked_redrive, "read_totals", lambda _: next(totals))
        done = run(world, services)

    assert (done.outcome, done.ok, services.patterns) == (Outcome.NOTHING_MOVED, True, [])


def traffic(world: World, number: int) -> None:
    """One more message of somebody else's, which keeps the delivery queue from ever being empty."""
    world.system.queue.send(body(f"traffic-{number}", 1))
