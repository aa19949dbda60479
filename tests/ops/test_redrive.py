"""Both movers of dead letters: SQS's own task, and the choosing one that sends first and deletes after."""

from collections.abc import Callable
from typing import Any

import pytest

from local.simulation.errors import client_error
from ops.dead_letters import InboxState, list_dead_letters
from ops.errors import OperatorError
from ops.redrive import Redrive, move_all, move_chosen, state_is
from ops.stack import Stack
from tests.ops.dead_letter_world import World, body, with_sqs

UNSUPPORTED = "AWS.SimpleQueueService.UnsupportedOperation"


class Recorded:
    """A client whose calls answer from a list, in order; an exception is raised."""

    def __init__(self, **answers: list[Any]) -> None:
        self._answers = answers
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Callable[..., Any]:
        def call(**arguments: Any) -> Any:
            self.calls.append((name, arguments))
            answer = self._answers[name].pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        return call


def stack_with(client: Recorded) -> Stack:
    return Stack("test", {"queue_arn": "queue", "dead_letter_queue_arn": "dead"}, lambda _: client)


def no_wait(_: float) -> None:
    """Nobody waits."""


def task(status: str, moved: int = 0, *, started_at: int = 2, **more: Any) -> dict[str, Any]:
    """What the list of tasks says; the one of a test's own starts at 2."""
    found = {
        "Status": status,
        "ApproximateNumberOfMessagesMoved": moved,
        "StartedTimestamp": started_at,
        **more,
    }
    return {"Results": [found]}


NO_TASKS: dict[str, Any] = {"Results": []}
EARLIER = task("COMPLETED", 77, started_at=1)


def test_task_reports_progress_until_it_is_completed() -> None:
    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}],
        list_message_move_tasks=[NO_TASKS, task("RUNNING", 1), task("COMPLETED", 2)],
    )
    seen: list[Redrive] = []

    result = move_all(stack_with(client), 1, seen.append, sleep=no_wait)

    assert [each.status for each in seen] == ["RUNNING", "COMPLETED"]
    assert result is not None
    assert result.moved == 2
    assert client.calls[1][1] == {
        "SourceArn": "dead",
        "DestinationArn": "queue",
        "MaxNumberOfMessagesPerSecond": 1,
    }


@pytest.mark.parametrize("lagging", [NO_TASKS, EARLIER])
def test_task_that_is_not_listed_yet_is_asked_for_again(lagging: dict[str, Any]) -> None:
    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}],
        list_message_move_tasks=[lagging, lagging, lagging, task("COMPLETED", 3)],
    )

    result = move_all(stack_with(client), 1, sleep=no_wait)

    assert result is not None
    assert result.moved == 3


def test_task_among_earlier_ones_in_any_order_is_the_newest() -> None:
    both = {"Results": EARLIER["Results"] + task("COMPLETED", 3)["Results"]}
    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}], list_message_move_tasks=[EARLIER, both]
    )

    result = move_all(stack_with(client), 1, sleep=no_wait)

    assert result is not None
    assert result.moved == 3


def test_task_that_is_never_listed_is_one_sentence_with_the_next_step() -> None:
    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}], list_message_move_tasks=[NO_TASKS] * 200
    )

    with pytest.raises(OperatorError, match="does not list it: look with `aws sqs list-message-move-tasks`"):
        move_all(stack_with(client), 1, sleep=no_wait)


def test_task_that_fails_says_how_many_were_moved_and_what_to_do() -> None:
    failed = task("FAILED", 3, FailureReason="AccessDenied")
    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}], list_message_move_tasks=[NO_TASKS, failed]
    )

    with pytest.raises(OperatorError, match=r"FAILED after 3 messages \(AccessDenied\).*start it again"):
        move_all(stack_with(client), 1, sleep=no_wait)


def test_task_that_is_interrupted_is_cancelled_and_says_so() -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}],
        list_message_move_tasks=[NO_TASKS, task("RUNNING")],
        cancel_message_move_task=[{"ApproximateNumberOfMessagesMoved": 4}],
    )

    with pytest.raises(OperatorError, match=r"cancelled after 4 messages: the others are still"):
        move_all(stack_with(client), 1, sleep=interrupt)

    assert client.calls[-1] == ("cancel_message_move_task", {"TaskHandle": "handle"})


@pytest.mark.parametrize("code", ["InvalidAction", UNSUPPORTED])
def test_no_task_where_sqs_has_none(code: str) -> None:
    client = Recorded(list_message_move_tasks=[client_error("ListMessageMoveTasks", code)])

    result = move_all(stack_with(client), 1, sleep=no_wait)

    assert result is None


def test_no_task_where_sqs_lists_them_and_starts_none() -> None:
    client = Recorded(
        start_message_move_task=[client_error("StartMessageMoveTask", UNSUPPORTED)],
        list_message_move_tasks=[NO_TASKS, NO_TASKS],
    )

    result = move_all(stack_with(client), 1, sleep=no_wait)

    assert result is None


@pytest.mark.parametrize("listed", [[task("RUNNING")], [NO_TASKS, task("RUNNING")]])
def test_second_task_beside_a_running_one_is_refused_in_a_sentence(listed: list[dict[str, Any]]) -> None:
    client = Recorded(
        start_message_move_task=[client_error("StartMessageMoveTask", UNSUPPORTED)],
        list_message_move_tasks=listed,
    )

    with pytest.raises(OperatorError, match=r"running already: wait until it has ended"):
        move_all(stack_with(client), 1, sleep=no_wait)


@pytest.mark.parametrize(("only", "left"), [("applied", ["new"]), ("unapplied", ["old"])])
def test_chosen_messages_are_moved_and_the_others_visible_again(only: str, left: list[str]) -> None:
    world = World()
    world.add("new", 5)
    world.add("old", 6, applied=True)

    moved = move_chosen(world.stack, 1, state_is(InboxState(only)), sleep=no_wait)

    assert [each.state for each in moved.letters] == [only]
    assert [each.event_id for each in list_dead_letters(world.stack).letters] == [
        f"order-created:{each}" for each in left
    ]
    world.settle()
    assert world.totals().order_count == (2 if only == "unapplied" else 1)


@pytest.mark.parametrize(("rate", "calls"), [(1, 25), (4, 7), (10, 3), (500, 3)])
def test_rate_is_kept_by_the_size_of_a_call_and_the_pause_behind_it(rate: int, calls: int) -> None:
    world = World()
    world.add("a", 5, copies=25)
    pauses: list[float] = []

    move_chosen(world.stack, rate, state_is(None), sleep=pauses.append)

    assert sum(pauses) == pytest.approx(25 / rate)
    assert len(pauses) >= calls


def test_message_attributes_are_kept() -> None:
    world = World()
    attributes = {
        "tenant": {"DataType": "String", "StringValue": "a"},
        "seal": {"DataType": "Binary", "BinaryValue": b"1"},
    }
    world.system.dead_letters.send(body("a", 5), attributes)

    move_chosen(world.stack, 1, state_is(None), sleep=no_wait)

    [message] = world.system.queue.messages.values()
    assert message.attributes == attributes


def test_message_that_the_consumer_fails_again_is_moved_once_a_run() -> None:
    world = World()
    world.add_refused("unreadable")

    moved = move_chosen(world.stack, 1, state_is(None), sleep=lambda _: world.settle())

    assert len(moved.letters) == 1
    assert world.dead_bodies() == ["unreadable"]


def test_message_that_sqs_does_not_take_stays_and_is_named() -> None:
    world = World()
    world.add("a", 5)
    refusal = {"Failed": [{"Id": "0", "SenderFault": True, "Code": "InvalidMessageContents"}]}

    moved = move_chosen(
        with_sqs(world, send_message_batch=lambda **_: refusal), 1, state_is(None), sleep=no_wait
    )

    [letter] = list_dead_letters(world.stack).letters
    assert moved.refused == {letter.message_id: "InvalidMessageContents"}
    assert moved.letters == []


def test_message_that_cannot_be_deleted_is_counted_and_not_sent_again_by_this_run() -> None:
    world = World()
    world.add("a", 5)
    failure = {"Failed": [{"Id": "0", "SenderFault": False, "Code": "InternalError"}]}

    moved = move_chosen(
        with_sqs(world, delete_message_batch=lambda **_: failure),
        1,
        state_is(None),
        sleep=lambda _: world.system.clock.wait(20),
    )

    assert len(moved.letters) == len(moved.kept) == 1
    assert world.queued_bodies() == world.dead_bodies() == [body("a", 5)]


def test_message_deleted_late_is_no_longer_counted_as_kept() -> None:
    world = World()
    world.add("a", 5)
    sqs = world.system.client("sqs")
    answers = [lambda **_: {"Failed": [{"Id": "0"}]}, sqs.delete_message_batch]

    def first_fails(**request: Any) -> Any:
        return answers.pop(0)(**request)

    moved = move_chosen(
        with_sqs(world, delete_message_batch=first_fails),
        1,
        state_is(None),
        sleep=lambda _: world.system.clock.wait(60),
    )

    assert moved.kept == set()
    assert len(world.queued_bodies()) == 1
    assert world.dead_bodies() == []


def test_bodies_that_are_too_much_for_one_call_go_in_several() -> None:
    world = World()
    for number in range(4):
        world.add_refused(f"{number}" * 600_000)

    moved = move_chosen(world.stack, 500, state_is(None), sleep=no_wait)

    assert len(moved.letters) == len(world.queued_bodies()) == 4


def test_interrupted_move_says_how_far_it_came_and_gives_the_others_back() -> None:
    world = World()
    world.add("a", 5, copies=3)

    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(OperatorError, match=r"stopped after 1 messages: the others are still"):
        move_chosen(world.stack, 1, state_is(None), sleep=interrupt)

    assert len(list_dead_letters(world.stack).letters) == 2


def test_move_beside_another_reader_counts_what_it_could_not_look_at() -> None:
    world = World()
    world.add("a", 5, copies=25)
    world.system.dead_letters.receive(20, visibility_seconds=1000)

    moved = move_chosen(world.stack, 500, state_is(None), sleep=no_wait)

    assert (len(moved.letters), moved.hidden.count) == (5, 20)
