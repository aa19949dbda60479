"""Messages of a queue, invisible to other readers while a verb inspects them.

The reader releases the messages at the end. If the process dies first, they become visible again by themselves.
Receiving raises a message's receive count and has no other effect: these queues have no redrive policy. So the
count does not say how often a consumer failed.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from outbox_cli.durations import duration
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts, count_messages

MESSAGES_A_CALL = 10
# A queue has at most about 120,000 messages in flight at a time.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html
READ_MOST = 100_000
# A receive that waits asks every server of the queue; one that does not can miss messages.
RECEIVE_WAIT_SECONDS = 1
INVISIBLE_SECONDS = 30
READ_PER_SECOND_LEAST = 50
RELEASE_ATTEMPTS_MOST = 3

Message = Mapping[str, Any]
"""A message as SQS answers it."""
Clock = Callable[[], float]


@dataclass(frozen=True)
class InFlight:
    """Messages in flight with another reader, perhaps one that was killed."""

    count: int
    seconds: int
    """How long they stay invisible at most, if the reader was one of these verbs."""

    @classmethod
    def from_all_but(cls, seen: int, before: QueueCounts) -> "InFlight":
        """Messages that were in flight before this reading, and that it did not receive."""
        count = min(before.in_flight, max(0, before.total - seen))
        return cls(count, invisible_seconds_of(before.total) if count else 0)

    def __str__(self) -> str:
        are = "1 more is" if self.count == 1 else f"{self.count} more are"
        back = "it comes back" if self.count == 1 else "they come back"
        return f"{are} in flight with another reader; {back} within about {duration(self.seconds)}."


NONE_IN_FLIGHT = InFlight(0, 0)


class Reading:
    """Up to `most` messages of a queue, one by one; only what a caller keeps of them takes memory."""

    def __init__(self, stack: Stack, queue_url: str, most: int, clock: Clock) -> None:
        self.may_have_more = True
        """Whether it ended at what was asked for, or at its time, and not at the queue's end."""
        self._stack = stack
        self._queue_url = queue_url
        self._most = most
        self._clock = clock
        self._before = count_messages(stack, queue_url)
        self._handles: dict[str, str] = {}
        self._deleted: set[str] = set()

    def __iter__(self) -> Iterator[Message]:
        invisible_seconds = invisible_seconds_of(min(self._most, self._before.total))
        ends_at = self._clock() + invisible_seconds
        while len(self._handles) < self._most and self._clock() < ends_at:
            count = min(MESSAGES_A_CALL, self._most - len(self._handles))
            received = receive(self._stack, self._queue_url, count, invisible_seconds)
            if not received:
                self.may_have_more = False
                return
            new = [each for each in received if each["MessageId"] not in self._handles]
            self._handles |= {each["MessageId"]: each["ReceiptHandle"] for each in received}
            yield from new

    @property
    def in_flight(self) -> InFlight:
        """The messages in flight with another reader, once this one has ended."""
        return InFlight.from_all_but(len(self._handles), self._before)

    def delete(self, message_ids: Sequence[str]) -> set[str]:
        """Deletes messages that were read; the ids of those that SQS did not delete."""
        kept = delete(self._stack, self._queue_url, [self._handles[each] for each in message_ids])
        failed = {message_ids[index] for index in kept}
        self._deleted.update(set(message_ids) - failed)
        return failed

    def release(self) -> None:
        """Makes what was read and is still there visible again."""
        rest = [handle for each, handle in self._handles.items() if each not in self._deleted]
        release(self._stack, self._queue_url, rest)


@contextmanager
def reading(
    stack: Stack, queue_url: str, most: int = READ_MOST, clock: Clock = time.monotonic
) -> Iterator[Reading]:
    """Messages to inspect; they are released at the end, whatever happens."""
    found = Reading(stack, queue_url, most, clock)
    try:
        yield found
    finally:
        found.release()


def invisible_seconds_of(count: int) -> int:
    """How long a message is invisible while so many are read: long enough that none is received twice, and no longer.

    Messages of a reader that is killed stay invisible for as long. So the count is never what may be read at most,
    but what the queue has.
    """
    return INVISIBLE_SECONDS + min(count, READ_MOST) // READ_PER_SECOND_LEAST


def receive(stack: Stack, queue_url: str, count: int, invisible_seconds: int) -> list[Message]:
    """Receives up to `count` messages (10 at most), with all that SQS knows of them."""
    answer = stack.clients("sqs").receive_message(
        QueueUrl=queue_url,
        MaxNumberOfMessages=count,
        VisibilityTimeout=invisible_seconds,
        WaitTimeSeconds=RECEIVE_WAIT_SECONDS,
        MessageSystemAttributeNames=["ApproximateReceiveCount", "SentTimestamp", "AWSTraceHeader"],
        MessageAttributeNames=["All"],
    )
    return list(answer.get("Messages", []))


def release(stack: Stack, queue_url: str, receipt_handles: Sequence[str]) -> None:
    """Makes messages visible again; one that SQS does not take here becomes so by itself a little later."""
    for _, some in _in_calls(receipt_handles):
        entries = [
            {"Id": str(index), "ReceiptHandle": handle, "VisibilityTimeout": 0}
            for index, handle in enumerate(some)
        ]
        for _ in range(RELEASE_ATTEMPTS_MOST):
            answer = stack.clients("sqs").change_message_visibility_batch(QueueUrl=queue_url, Entries=entries)
            failed = {each["Id"] for each in answer.get("Failed", [])}
            entries = [each for each in entries if each["Id"] in failed]
            if not entries:
                break


def delete(stack: Stack, queue_url: str, receipt_handles: Sequence[str]) -> list[int]:
    """Deletes messages; the places in the list of those that SQS did not delete."""
    kept: list[int] = []
    for start, some in _in_calls(receipt_handles):
        entries = [{"Id": str(index), "ReceiptHandle": handle} for index, handle in enumerate(some)]
        answer = stack.clients("sqs").delete_message_batch(QueueUrl=queue_url, Entries=entries)
        kept += [start + int(each["Id"]) for each in answer.get("Failed", [])]
    return kept


def _in_calls(handles: Sequence[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """Groups that one batch call takes, each with its place."""
    for start in range(0, len(handles), MESSAGES_A_CALL):
        yield start, handles[start : start + MESSAGES_A_CALL]
