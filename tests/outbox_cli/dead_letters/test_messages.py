"""Dead-letter messages as the operator sees them: each with what the inbox says, all left where they are."""

import json
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from outbox.retry import RESERVE_SECONDS, Backoff
from outbox_cli.dead_letters.messages import InboxState, list_dead_letters, read_digests
from outbox_cli.dead_letters.redrive import in_state, move
from outbox_cli.errors import OperatorError
from outbox_cli.queue_messages import READ_MOST, InFlight
from tests.outbox_cli.dead_letters.world import World, body, with_sqs

MANY = 10_000


def states(world: World) -> dict[str | None, str]:
    return {each.event_id: each.state for each in list_dead_letters(world.stack).messages}


def test_listing_says_of_each_message_what_the_inbox_says() -> None:
    world = World()
    world.add("new", 5)
    world.add("old", 6, applied=True)
    world.add_conflicting("changed", 7)

    found = states(world)

    assert found == {
        "order-created:new": "unapplied",
        "order-created:old": "applied",
        "order-created:changed": "conflicting",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("not json", "the text is not JSON"),
        ('{"hello":1}', "The event has no event_id"),
        ("[]", "The event must be an object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"event_id": "order-created:a", "event_id": "order-created:b"}', "names the same field twice"),
    ],
)
def test_listing_says_why_no_consumer_can_read_a_message(text: str, problem: str) -> None:
    world = World()
    world.add_refused(text)

    [message] = list_dead_letters(world.stack).messages

    assert (message.state, message.event_id) == (InboxState.UNREADABLE, None)
    assert problem in str(message.problem)


def test_order_that_the_consumer_would_refuse_is_unapplied() -> None:
    world = World()
    world.add_refused(json.dumps(json.loads(body("a", 1)) | {"amount_cents": 0}))

    [message] = list_dead_letters(world.stack).messages

    assert (message.state, message.event_id) == (InboxState.UNAPPLIED, "order-created:a")


def test_same_event_spelled_otherwise_is_applied_as_for_the_consumer() -> None:
    world = World()
    world.add("spaced", 5, applied=True, copies=0)
    world.add_refused(json.dumps(json.loads(body("spaced", 5)), indent=2))

    found = states(world)

    assert found == {"order-created:spaced": "applied"}


def test_listing_leaves_every_message_visible_and_raises_only_its_receive_count() -> None:
    world = World()
    world.add("a", 5, copies=25)

    first = list_dead_letters(world.stack)
    second = list_dead_letters(world.stack)

    assert [len(each.messages) for each in (first, second)] == [25, 25]
    assert {each.receive_count for each in first.messages} == {1}
    assert {each.receive_count for each in second.messages} == {2}


def test_listing_stops_at_what_was_asked_for_and_says_that_there_may_be_more() -> None:
    world = World()
    world.add("a", 5, copies=25)

    some, all_of_them = list_dead_letters(world.stack, 12), list_dead_letters(world.stack, 26)

    assert (len(some.messages), some.is_complete) == (12, False)
    assert (len(all_of_them.messages), all_of_them.is_complete) == (25, True)


def test_listing_gives_up_when_its_time_is_up_and_gives_everything_back() -> None:
    world = World()
    world.add("a", 5, copies=25)
    times = iter([0.0, 1.0, 2.0, 1000.0])

    listing = list_dead_letters(world.stack, clock=lambda: next(times))
    again = list_dead_letters(world.stack)

    assert (len(listing.messages), listing.is_complete) == (20, False)
    assert len(again.messages) == 25


def test_empty_queue_is_a_complete_listing() -> None:
    listing = list_dead_letters(World().stack)

    assert (listing.messages, listing.is_complete) == ([], True)


def test_listing_beside_another_reader_counts_what_that_has_in_flight_and_is_not_complete() -> None:
    world = World()
    world.add("a", 5, copies=25)
    world.system.dead_letters.receive(20, visibility_seconds=30)

    listing = list_dead_letters(world.stack, READ_MOST)

    assert (len(listing.messages), listing.in_flight, listing.is_complete) == (5, InFlight(20, 30), False)
    assert str(listing.in_flight) == (
        "20 more are in flight with another reader; they come back within about 30 s."
    )


@pytest.mark.parametrize(
    ("copies", "asked_for", "seconds"), [(5, READ_MOST, 30), (500, READ_MOST, 40), (500, 100, 32)]
)
def test_messages_are_invisible_for_as_long_as_their_number_takes_not_their_limit(
    copies: int, asked_for: int, seconds: int
) -> None:
    world = World()
    world.add("a", 5, copies=copies)
    dead_letters, now = world.system.dead_letters, world.system.clock.now()
    invisible_until: set[float] = set()

    def recorded(**request: Any) -> Any:
        answer = world.system.client("sqs").receive_message(**request)
        invisible_until.update(each.visible_at for each in dead_letters.messages.values())
        return answer

    list_dead_letters(with_sqs(world, receive_message=recorded), asked_for)

    assert max(invisible_until) == now + seconds


@pytest.mark.thorough
def test_ten_thousand_messages_are_listed_and_moved_once() -> None:
    world = World()
    for number in range(MANY // 2):
        world.add(f"new-{number}", 1)
        world.add_refused(f"unreadable {number}")

    listing = list_dead_letters(world.stack, MANY)
    moved = move(world.stack, 500, in_state(InboxState.UNAPPLIED), sleep=lambda _: None)
    world.settle()

    assert Counter(each.state for each in listing.messages) == {
        "unapplied": MANY // 2,
        "unreadable": MANY // 2,
    }
    assert len(moved.moved) == MANY // 2
    assert world.totals() == world.due()
    assert sorted(world.dead_bodies()) == sorted(world.refused)


class Throttled:
    """DynamoDB that never reads what it is asked for."""

    def batch_get_item(self, RequestItems: dict[str, Any], **_: Any) -> Any:  # noqa: N803 - boto3's name
        return {"Responses": {}, "UnprocessedKeys": RequestItems}


def test_markers_that_stay_unread_are_one_sentence_with_the_next_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Time for a call, and for no pause before another one.
    monkeypatch.setattr(Backoff, "lasting", lambda _: Backoff(lambda: RESERVE_SECONDS))
    stack = replace(World().stack, clients=lambda _: Throttled())

    with pytest.raises(
        OperatorError, match=r"keeps the reads waiting \(1 of 1 markers.*try again in a minute"
    ):
        read_digests(stack, ["order-created:a"])
