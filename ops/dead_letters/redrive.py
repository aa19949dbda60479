"""Moves dead letters back to the delivery queue: all of them by a task of SQS's own, or chosen ones one by one.

The task is StartMessageMoveTask, which knows no choice. The mover of our own sends first and deletes after:
killed between the two it leaves a message on both queues, which is one delivery more, and the consumer
ignores that. Messages it leaves alone stay hidden until it ends, or for as long as `hidden_seconds_of` says.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from ops.dead_letters.letters import (
    MESSAGES_A_CALL,
    NONE_HIDDEN,
    DeadLetter,
    Hidden,
    InboxState,
    hidden_seconds_of,
    judged,
    receive,
    release,
)
from ops.errors import OperatorError
from ops.stack.deployed import Stack
from ops.status.stored import count_messages

RUNNING = "RUNNING"
COMPLETED = "COMPLETED"
POLL_SECONDS = 0.5
NOT_LISTED_MOST = 120  # polls, which are a minute
TASKS_LISTED = 10  # all that SQS answers
TOO_LONG = "BatchRequestTooLong"
NO_SUCH_ACTION = frozenset({"InvalidAction", "UnsupportedOperation"})


@dataclass(frozen=True)
class Redrive:
    """How far a move of messages has come."""

    status: str
    moved: int
    to_move: int


OnProgress = Callable[[Redrive], None]
Sleep = Callable[[float], None]


@dataclass
class Moved:
    """What the mover of our own did: the messages it moved, and those it could not."""

    letters: list[DeadLetter] = field(default_factory=list)
    kept: set[str] = field(default_factory=set)
    """Ids of messages that were sent, but could not be deleted: the next redrive sends them once more."""
    refused: dict[str, str] = field(default_factory=dict)
    """SQS's reason by message id, for messages that it did not take; they are dead letters as before."""
    hidden: Hidden = NONE_HIDDEN
    """Those that could not be looked at."""


def move_all(
    stack: Stack,
    messages_per_second: int,
    on_progress: OnProgress = lambda _: None,
    sleep: Sleep = time.sleep,
) -> Redrive | None:
    """Moves every message by SQS's own task and waits until it has ended; None where SQS has no such task.

    A completed move says where the messages are, not what became of them: look at the totals too.

    Raises:
        OperatorError: a task is running already; or this one failed, or was cancelled, here by Ctrl-C: says
            how many messages had been moved.
    """
    sqs = stack.clients("sqs")
    source = stack["dead_letter_queue_arn"]
    started_before = _last_start(sqs, source)
    if started_before is None:
        return None
    try:
        task = sqs.start_message_move_task(
            SourceArn=source,
            # Named, or SQS would refuse a message that somebody sent to the dead-letter queue by hand.
            DestinationArn=stack["queue_arn"],
            MaxNumberOfMessagesPerSecond=messages_per_second,
        )
    except ClientError as error:
        if _code(error) not in NO_SUCH_ACTION:
            raise
        _last_start(sqs, source)  # SQS says UnsupportedOperation of a second task as well
        return None
    try:
        return _watch(sqs, source, started_before, on_progress, sleep)
    except KeyboardInterrupt:
        cancelled = sqs.cancel_message_move_task(TaskHandle=task["TaskHandle"])
        raise OperatorError(
            f"The redrive was cancelled after {cancelled['ApproximateNumberOfMessagesMoved']} messages: "
            "the others are still in the dead-letter queue."
        ) from None


def move_chosen(
    stack: Stack,
    messages_per_second: int,
    is_chosen: Callable[[DeadLetter], bool],
    on_progress: OnProgress = lambda _: None,
    sleep: Sleep = time.sleep,
) -> Moved:
    """Moves the chosen messages at a rate, and gives the others back at the end, whatever happens.

    Ends when the queue shows no more messages. What the consumer fails again comes back under the id of its
    copy, and is left alone.

    Raises:
        OperatorError: stopped by Ctrl-C; says how many messages had been moved.
    """
    before = count_messages(stack, stack["dead_letter_queue_url"])
    moved = Moved()
    done: set[str] = set()
    copies: set[str] = set()
    left_alone: dict[str, str] = {}
    try:
        while received := receive(stack, MESSAGES_A_CALL, hidden_seconds_of(before.total)):
            left_alone |= {each.message_id: each.receipt_handle for each in received}
            _delete(stack, [each for each in received if each.message_id in done], moved)
            settled = done | copies | moved.refused.keys()
            fresh = [each for each in received if each.message_id not in settled]
            chosen = [each for each in judged(stack, fresh) if is_chosen(each)]
            for some in _paced(chosen, messages_per_second):
                copy_ids = _send(stack, some, moved)
                sent = [each for each in some if each.message_id in copy_ids]
                done.update(copy_ids)
                copies.update(copy_ids.values())
                moved.letters.extend(sent)
                _delete(stack, sent, moved)
                on_progress(Redrive(RUNNING, len(moved.letters), before.available))
                sleep(len(some) / messages_per_second)
    except KeyboardInterrupt:
        raise OperatorError(
            f"The redrive was stopped after {len(moved.letters)} messages: "
            "the others are still in the dead-letter queue."
        ) from None
    finally:
        release(stack, [handle for message_id, handle in left_alone.items() if message_id not in done])
    moved.hidden = Hidden.from_all_but(len(left_alone.keys() - copies), before)
    return moved


def state_is(only: InboxState | None) -> Callable[[DeadLetter], bool]:
    """The choice of messages in one state, or of all."""
    return lambda letter: only is None or letter.state is only


def _paced(letters: Sequence[DeadLetter], messages_per_second: int) -> Iterator[list[DeadLetter]]:
    """Groups that one call takes, none larger than what may go out in a second."""
    size = min(MESSAGES_A_CALL, messages_per_second)
    for start in range(0, len(letters), size):
        yield list(letters[start : start + size])


def _send(stack: Stack, letters: list[DeadLetter], moved: Moved) -> dict[str, str]:
    """Sends copies to the delivery queue; the id of each copy by the id of its message."""
    entries: list[dict[str, Any]] = [
        {"Id": str(index), "MessageBody": letter.body, **letter.resent}
        for index, letter in enumerate(letters)
    ]
    try:
        answer = stack.clients("sqs").send_message_batch(QueueUrl=stack["queue_url"], Entries=entries)
    except ClientError as error:
        if _code(error) != TOO_LONG or len(letters) == 1:
            raise
        middle = len(letters) // 2  # the bodies together are more than one call takes
        return _send(stack, letters[:middle], moved) | _send(stack, letters[middle:], moved)
    for each in answer.get("Failed", []):
        moved.refused[letters[int(each["Id"])].message_id] = each["Code"]
    return {letters[int(each["Id"])].message_id: each["MessageId"] for each in answer.get("Successful", [])}


def _delete(stack: Stack, letters: list[DeadLetter], moved: Moved) -> None:
    if not letters:
        return
    entries = [{"Id": str(index), "ReceiptHandle": each.receipt_handle} for index, each in enumerate(letters)]
    answer = stack.clients("sqs").delete_message_batch(
        QueueUrl=stack["dead_letter_queue_url"], Entries=entries
    )
    moved.kept -= {each.message_id for each in letters}
    moved.kept |= {letters[int(each["Id"])].message_id for each in answer.get("Failed", [])}


def _watch(sqs: Any, source_arn: str, started_before: int, on_progress: OnProgress, sleep: Sleep) -> Redrive:
    """Follows the task that started after the last one known before: the list can lag behind the start."""
    not_listed = 0
    while True:
        newest = _newest_task(sqs, source_arn)
        if newest is None or newest["StartedTimestamp"] <= started_before:
            not_listed += 1
            if not_listed > NOT_LISTED_MOST:
                raise OperatorError(
                    "SQS started the redrive, but does not list it: look with `aws sqs list-message-move-tasks` "
                    "how far it is, and with `outbox dlq list` what is left."
                )
            sleep(POLL_SECONDS)
            continue
        progress = Redrive(
            newest["Status"],
            newest.get("ApproximateNumberOfMessagesMoved", 0),
            newest.get("ApproximateNumberOfMessagesToMove", 0),
        )
        on_progress(progress)
        if progress.status == COMPLETED:
            return progress
        if progress.status != RUNNING:
            raise OperatorError(
                f"The redrive ended as {progress.status} after {progress.moved} messages "
                f"({newest.get('FailureReason', 'no reason given')}): the others are still in the "
                "dead-letter queue; start it again when the cause is gone."
            )
        sleep(POLL_SECONDS)


def _newest_task(sqs: Any, source_arn: str) -> dict[str, Any] | None:
    tasks = sqs.list_message_move_tasks(SourceArn=source_arn, MaxResults=TASKS_LISTED)["Results"]
    return max(tasks, key=lambda task: int(task["StartedTimestamp"]), default=None)


def _last_start(sqs: Any, source_arn: str) -> int | None:
    """When the newest task started, in milliseconds since 1970; 0 if there was none, None where SQS has no tasks.

    Raises:
        OperatorError: it is still running.
    """
    try:
        newest = _newest_task(sqs, source_arn)
    except ClientError as error:
        if _code(error) not in NO_SUCH_ACTION:
            raise
        return None
    if newest and newest["Status"] == RUNNING:
        raise OperatorError(
            "A redrive of this dead-letter queue is running already: wait until it has ended, or cancel it "
            "with `aws sqs cancel-message-move-task`."
        )
    return int(newest["StartedTimestamp"]) if newest else 0


def _code(error: ClientError) -> str:
    return str(error.response["Error"]["Code"]).rpartition(".")[2]
