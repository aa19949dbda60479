"""Moves all dead-letter messages back to the delivery queue by SQS's own task, which cannot select.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_StartMessageMoveTask.html
"""

import time
from typing import Any

from botocore.exceptions import ClientError

from outbox_cli.dead_letters.redrive import RUNNING, OnProgress, Redrive, Sleep, code_of
from outbox_cli.errors import OperatorError, StoppedError
from outbox_cli.stack.deployed import Stack

COMPLETED = "COMPLETED"
POLL_SECONDS = 0.5
NOT_LISTED_MOST = 120  # polls, which are a minute
TASKS_LISTED = 10  # all that SQS answers
NO_SUCH_ACTION = frozenset({"InvalidAction", "UnsupportedOperation"})
ENDED = "ResourceNotFoundException"  # what SQS says of a task that is not running any more


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
        if code_of(error) not in NO_SUCH_ACTION:
            raise
        _last_start(sqs, source)  # SQS says UnsupportedOperation of a second task as well
        return None
    try:
        return _watch(sqs, source, started_before, on_progress, sleep)
    except KeyboardInterrupt:
        raise StoppedError(_cancel(sqs, task["TaskHandle"])) from None


def _watch(sqs: Any, source_arn: str, started_before: int, on_progress: OnProgress, sleep: Sleep) -> Redrive:
    """Follows the task that started after the last one known before: the list can lag behind the start."""
    not_listed = 0
    while True:
        newest = _newest_task(sqs, source_arn)
        if newest is None or newest["StartedTimestamp"] <= started_before:
            not_listed += 1
            if not_listed > NOT_LISTED_MOST:
                raise OperatorError(
                    "SQS started the redrive, but does not list it: check with `aws sqs list-message-move-tasks` "
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


def _cancel(sqs: Any, task_handle: str) -> str:
    """Cancels a task; says what became of it, which may have ended meanwhile."""
    try:
        cancelled = sqs.cancel_message_move_task(TaskHandle=task_handle)
    except ClientError as error:
        if code_of(error) != ENDED:
            raise
        return (
            "The redrive had ended before it could be cancelled: `outbox dlq list` says what is left, "
            "`outbox status` what the totals are."
        )
    return (
        f"The redrive was cancelled after {cancelled['ApproximateNumberOfMessagesMoved']} messages: "
        "the others are still in the dead-letter queue."
    )


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
        if code_of(error) not in NO_SUCH_ACTION:
            raise
        return None
    if newest and newest["Status"] == RUNNING:
        raise OperatorError(
            "A redrive of this dead-letter queue is running already: wait until it has ended, or cancel it "
            "with `aws sqs cancel-message-move-task`."
        )
    return int(newest["StartedTimestamp"]) if newest else 0
