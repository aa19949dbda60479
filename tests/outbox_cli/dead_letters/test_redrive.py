"""Moving chosen dead-letter messages: sends first and deletes after, keeps the rate, and loses nothing."""

from typing import Any

import pytest

from outbox_cli.dead_letters.messages import InboxState, list_dead_letters
from outbox_cli.dead_letters.redrive import in_state, move
from outbox_cli.errors import OperatorError
from tests.outbox_cli.dead_letters.world import World, body, with_sqs

TRACE_HEADER = "Root=1-5759e988-bd862e3fe1be46a994272793"


def no_wait(_: float) -> None:
    """Nobody waits."""


@pytest.mark.parametrize(("only", "left"), [("applied", ["new"]), ("unapplied", ["old"])])
def test_chosen_messages_are_moved_and_the_others_visible_again(only: str, left: list[str]) -> None:
    world = World()
    world.add("new", 5)
    world.add("old", 6, applied=True)

    moved = move(world.stack, 1, in_state(InboxState(only)), sleep=no_wait)

    assert [each.state for each in moved.moved] == [only]
    assert [each.event_id for each in list_dead_letters(world.stack).messages] == [
        f"order-created:{each}" for each in left
    ]
    world.settle()
    assert world.totals().order_count == (2 if only == "unapplied" else 1)


@pytest.mark.parametrize(("rate", "calls"), [(1, 25), (4, 7), (10, 3), (500, 3)])
def test_rate_is_kept_by_the_size_of_a_call_and_the_pause_behind_it(rate: int, calls: int) -> None:
    world = World()
    world.add("a", 5, copies=25)
    pauses: list[float] = []

    move(world.stack, rate, sleep=pauses.append)

    assert sum(pauses) == pytest.approx(25 / rate)
    assert len(pauses) >= calls


def test_trace_header_is_kept() -> None:
    world = World()
    world.add("a", 5)
    sqs = world.system.client("sqs")
    sent: list[dict[str, Any]] = []

    def traced(**request: Any) -> Any:
        answer = sqs.receive_message(**request)
        for each in answer.get("Messages", []):
            each["Attributes"]["AWSTraceHeader"] = TRACE_HEADER
        return answer

    def noted(**request: Any) -> Any:
        sent.extend(request["Entries"])
        return sqs.send_message_batch(**request)

    move(with_sqs(world, receive_message=traced, send_message_batch=noted), 1, sleep=no_wait)

    assert [each["MessageSystemAttributes"] for each in sent] == [
        {"AWSTraceHeader": {"DataType": "String", "StringValue": TRACE_HEADER}}
    ]


def test_message_attributes_are_kept() -> None:
    world = World()
    attributes = {
        "tenant": {"DataType": "String", "StringValue": "a"},
        "seal": {"DataType": "Binary", "BinaryValue": b"1"},
    }
    world.system.dead_letters.send(body("a", 5), attributes)

    move(world.stack, 1, sleep=no_wait)

    [message] = world.system.queue.messages.values()
    assert message.attributes == attributes


def test_message_that_the_consumer_fails_again_is_moved_once_a_run() -> None:
    world = World()
    world.add_refused("unreadable")

    moved = move(world.stack, 1, sleep=lambda _: world.settle())

    assert len(moved.moved) == 1
    assert world.dead_bodies() == ["unreadable"]


def test_message_that_sqs_does_not_take_stays_and_is_named() -> None:
    world = World()
    world.add("a", 5)
    refusal = {"Failed": [{"Id": "0", "SenderFault": True, "Code": "InvalidMessageContents"}]}

    moved = move(with_sqs(world, send_message_batch=lambda **_: refusal), 1, sleep=no_wait)

    [message] = list_dead_letters(world.stack).messages
    assert moved.refused == {message.message_id: "InvalidMessageContents"}
    assert moved.moved == []


def test_message_that_sqs_does_not_take_is_not_tried_again_by_this_run() -> None:
    world = World()
    world.add("a", 5)
    tries: list[Any] = []

    def refused(**request: Any) -> Any:
        tries.append(request)
        return {"Failed": [{"Id": "0", "SenderFault": True, "Code": "InvalidMessageContents"}]}

    def comes_back(_: float) -> None:
        world.system.clock.wait(60)

    move(with_sqs(world, send_message_batch=refused), 1, sleep=comes_back)

    assert len(tries) == 1


def test_message_that_cannot_be_deleted_is_counted_and_not_sent_again_by_this_run() -> None:
    world = World()
    world.add("a", 5)
    failure = {"Failed": [{"Id": "0", "SenderFault": False, "Code": "InternalError"}]}

    moved = move(
        with_sqs(world, delete_message_batch=lambda **_: failure),
        1,
        sleep=lambda _: world.system.clock.wait(20),
    )

    assert len(moved.moved) == len(moved.undeleted) == 1
    assert world.queued_bodies() == world.dead_bodies() == [body("a", 5)]


def test_message_deleted_late_is_no_longer_counted_as_kept() -> None:
    world = World()
    world.add("a", 5)
    sqs = world.system.client("sqs")
    answers = [lambda **_: {"Failed": [{"Id": "0"}]}, sqs.delete_message_batch]

    def first_fails(**request: Any) -> Any:
        return answers.pop(0)(**request)

    moved = move(
        with_sqs(world, delete_message_batch=first_fails),
        1,
        sleep=lambda _: world.system.clock.wait(60),
    )

    assert moved.undeleted == set()
    assert len(world.queued_bodies()) == 1
    assert world.dead_bodies() == []


def test_bodies_that_are_too_much_for_one_call_go_in_several() -> None:
    world = World()
    for number in range(4):
        world.add_refused(f"{number}" * 600_000)

    moved = move(world.stack, 500, sleep=no_wait)

    assert len(moved.moved) == len(world.queued_bodies()) == 4


def test_interrupted_move_says_how_far_it_came_and_releases_the_others() -> None:
    world = World()
    world.add("a", 5, copies=3)

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(OperatorError, match=r"stopped after 1 messages: the others are still"):
        move(world.stack, 1, sleep=interrupt)

    assert len(list_dead_letters(world.stack).messages) == 2


def test_move_beside_another_reader_counts_what_it_could_not_inspect() -> None:
    world = World()
    world.add("a", 5, copies=25)
    world.system.dead_letters.receive(20, visibility_seconds=1000)

    moved = move(world.stack, 500, sleep=no_wait)

    assert (len(moved.moved), moved.in_flight.count) == (5, 20)


def test_copy_that_comes_back_is_not_taken_for_one_that_another_reader_has() -> None:
    world = World()
    world.add_refused("unreadable")
    world.add_refused("in flight")
    [in_flight] = [each for each in world.system.dead_letters.messages.values() if each.body == "in flight"]
    world.system.dead_letters.show_again(in_flight, after_seconds=100_000)

    moved = move(world.stack, 1, sleep=lambda _: world.settle())

    assert (len(moved.moved), moved.in_flight.count, moved.left) == (1, 1, 0)
