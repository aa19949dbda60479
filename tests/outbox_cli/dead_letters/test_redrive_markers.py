"""A redrive ends well when each event that it moved has its marker; else it names the events."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from outbox_cli.dead_letters.messages import InboxState
from outbox_cli.dead_letters.redrive import Redrive, redrive
from outbox_cli.dead_letters.view import redrive_lines
from outbox_cli.stack.deployed import Stack
from outbox_cli.waiting import Wait
from tests.outbox_cli.dead_letters.world import World, body, with_sqs


def run(
    world: World,
    only: InboxState | None = None,
    *,
    consume: Callable[[], object] | None = None,
    stack: Stack | None = None,
) -> Redrive:
    """A redrive whose waits, three at most, are what the consumer does meanwhile."""
    wait = Wait(timeout_seconds=3, clock=iter(range(100)).__next__)

    def meanwhile(_: float) -> None:
        (consume or world.settle)()

    return redrive(stack or world.stack, 500, only, replace(wait, sleep=meanwhile), sleep=lambda _: None)


def mixed() -> World:
    world = World()
    world.add("new", 5, copies=2)
    world.add("old", 6, applied=True)
    return world


def nothing() -> None:
    """The consumer is off."""


@pytest.mark.parametrize(
    ("only", "moved", "orders"), [(None, 3, 2), (InboxState.APPLIED, 1, 1), (InboxState.UNAPPLIED, 2, 2)]
)
def test_redrive_ends_when_each_event_has_its_marker(
    only: InboxState | None, moved: int, orders: int
) -> None:
    world = mixed()

    done = run(world, only)

    assert (done.ok, len(done.moved), done.not_applied) == (True, moved, [])
    assert world.totals().order_count == orders


def test_redrive_of_an_empty_queue_beside_traffic_ends_at_once() -> None:
    world, waits = World(), list[None]()
    world.system.queue.send(body("traffic", 1))

    done = run(world, consume=lambda: waits.append(None))

    assert (done.ok, done.moved, waits) == (True, [], [])
    assert redrive_lines(done) == ["0 moved.", "No message to move was found."]


def test_redrive_beside_traffic_waits_for_its_own_events_alone() -> None:
    world, waits = mixed(), list[None]()

    def consume_and_sell() -> None:
        waits.append(None)
        world.drain()
        world.system.queue.send(body(f"traffic-{len(waits)}", 1))

    done = run(world, consume=consume_and_sell)

    assert (done.ok, len(waits)) == (True, 1)


def test_messages_that_come_back_are_counted_and_not_waited_for() -> None:
    world = mixed()
    world.add_conflicting("changed", 7)
    world.add_refused("unreadable")

    done = run(world, consume=world.drain)

    assert (done.ok, done.comes_back) == (True, 2)
    assert redrive_lines(done)[1].startswith("2 will be dead-lettered again after their deliveries")


def test_event_of_two_contents_is_applied_with_one_and_the_other_comes_back() -> None:
    world = World()
    for amount in (5, 9):
        world.system.dead_letters.send(body("twice", amount))

    done = run(world, consume=world.drain)

    assert (done.ok, done.comes_back) == (True, 1)


def test_event_without_a_marker_in_time_fails_the_redrive_and_is_named() -> None:
    done = run(mixed(), consume=nothing)

    assert (done.ok, done.not_applied) == (False, ["order-created:new"])
    assert "see what the consumer does with `outbox trace order-created:new`" in redrive_lines(done)[-1]


def test_marker_of_another_content_is_not_taken_for_that_of_the_moved_event() -> None:
    world = World()
    world.add("new", 5)

    def overtaken() -> None:
        world.system.queue.receive(1, visibility_seconds=1000)
        world.system.queue.send(body("new", 6))
        world.drain()

    done = run(world, consume=overtaken)

    assert done.not_applied == ["order-created:new"]


def test_event_of_another_domain_needs_only_its_marker() -> None:
    world = World()
    text = json.dumps({"event_id": "stock-reserved:r-1", "pieces": 5})
    world.system.dead_letters.send(text)

    done = run(world, consume=nothing)

    assert (len(done.moved), done.not_applied) == (1, ["stock-reserved:r-1"])


def test_message_that_sqs_does_not_take_fails_the_redrive_and_is_named() -> None:
    world = mixed()
    refused = {"Failed": [{"Id": str(each), "Code": "InvalidMessageContents"} for each in range(2)]}

    done = run(world, InboxState.UNAPPLIED, stack=with_sqs(world, send_message_batch=lambda **_: refused))

    assert (done.ok, done.moved) == (False, [])
    assert redrive_lines(done)[1] == "SQS did not take message dead-letters-1 (InvalidMessageContents)."


@pytest.mark.parametrize("in_flight", [1, 2])
def test_messages_that_another_reader_has_in_flight_are_counted_and_fail_the_redrive(in_flight: int) -> None:
    world = World()
    world.add("one", 5, copies=2)
    world.system.dead_letters.receive(in_flight, visibility_seconds=1000)

    done = run(world)

    assert (done.in_flight.count, len(done.moved), done.ok) == (in_flight, 2 - in_flight, False)


def test_messages_that_another_reader_receives_during_the_move_are_counted_and_fail_the_redrive() -> None:
    world = World()
    for number in range(24):
        world.add(f"order-{number}", 5)
    sqs = world.system.client("sqs")

    def taken_meanwhile(**request: Any) -> Any:
        world.system.dead_letters.receive(10, visibility_seconds=1000)
        return sqs.send_message_batch(**request)

    done = run(world, stack=with_sqs(world, send_message_batch=taken_meanwhile))

    assert (len(done.moved), done.left, done.not_applied, done.ok) == (14, 10, [], False)
    assert redrive_lines(done)[-1].startswith(
        "10 dead-letter messages were received or deleted by another reader"
    )
