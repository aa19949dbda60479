"""Redrive by SQS's own task: followed to its end, stopped, refused, or unsupported."""

from collections.abc import Callable
from typing import Any

import pytest

from outbox_cli.dead_letters.move_task import move_all
from outbox_cli.dead_letters.redrive import Redrive
from outbox_cli.errors import OperatorError
from outbox_cli.stack.deployed import Stack
from tools.simulation.errors import client_error

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

    with pytest.raises(OperatorError, match="does not list it: check with `aws sqs list-message-move-tasks`"):
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


def test_task_that_ends_while_it_is_cancelled_is_no_wrong_stack() -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    client = Recorded(
        start_message_move_task=[{"TaskHandle": "handle"}],
        list_message_move_tasks=[NO_TASKS, task("RUNNING")],
        cancel_message_move_task=[client_error("CancelMessageMoveTask", "ResourceNotFoundException")],
    )

    with pytest.raises(OperatorError, match=r"had ended before it could be cancelled: `outbox dlq list`"):
        move_all(stack_with(client), 1, sleep=interrupt)


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
