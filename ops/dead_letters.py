"""Looks at the messages of the dead-letter queue, and moves them back to the queue they came from."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ops.errors import OperatorError
from ops.stack import Stack

MAX_RECEIVED_AT_ONCE = 10
RUNNING = "RUNNING"
COMPLETED = "COMPLETED"
POLL_SECONDS = 0.5


@dataclass(frozen=True)
class Redrive:
    """How far a move of messages has come."""

    status: str
    moved: int
    to_move: int


def peek(stack: Stack) -> list[dict[str, Any]]:
    """Up to ten messages of the dead-letter queue, left where they are: `body` and `receive_count`.

    One bounded receive that hides nothing. It raises a message's own receive count, which says nothing of how
    often the consumer failed.
    """
    answer = stack.clients("sqs").receive_message(
        QueueUrl=stack["dead_letter_queue_url"],
        MaxNumberOfMessages=MAX_RECEIVED_AT_ONCE,
        VisibilityTimeout=0,
        WaitTimeSeconds=0,
        MessageSystemAttributeNames=["ApproximateReceiveCount"],
    )
    return [
        {"body": each["Body"], "receive_count": int(each["Attributes"]["ApproximateReceiveCount"])}
        for each in answer.get("Messages", [])
    ]


def redrive(
    stack: Stack,
    messages_per_second: int,
    on_progress: Callable[[Redrive], None] = lambda _: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Redrive:
    """Moves every message back to its source queue and waits until the move has ended.

    A completed move says where the messages are, not what became of them: look at the totals too.

    Raises:
        OperatorError: the move failed or was cancelled, here by Ctrl-C; says how many messages had been moved.
    """
    sqs = stack.clients("sqs")
    source = stack["dead_letter_queue_arn"]
    task = sqs.start_message_move_task(SourceArn=source, MaxNumberOfMessagesPerSecond=messages_per_second)
    try:
        return _watch(sqs, source, on_progress, sleep)
    except KeyboardInterrupt:
        cancelled = sqs.cancel_message_move_task(TaskHandle=task["TaskHandle"])
        raise OperatorError(
            f"The redrive was cancelled after {cancelled['ApproximateNumberOfMessagesMoved']} messages: "
            "the others are still in the dead-letter queue."
        ) from None


def _watch(
    sqs: Any, source_arn: str, on_progress: Callable[[Redrive], None], sleep: Callable[[float], None]
) -> Redrive:
    while True:
        newest = sqs.list_message_move_tasks(SourceArn=source_arn, MaxResults=1)["Results"][0]
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
