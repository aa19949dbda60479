"""The dead-letter queue's messages, each with what the inbox says of its event.

Reading leaves every message where it is. What is received is hidden from others for a moment: it is given back
at the end, and by itself should this process die first. Receiving raises a message's receive count, which says
nothing of how often the consumer failed, and has no other effect: a dead-letter queue has no redrive policy of
its own. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-visibility-timeout.html
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from ops.durations import duration
from ops.errors import OperatorError
from ops.stack.deployed import Stack
from ops.status.stored import QueueCounts, count_messages
from orders import parse_event
from outbox.errors import NotReadError, OutboxError
from outbox.markers import read_markers
from outbox.retry import Backoff
from outbox.transaction import IncomingEvent

MESSAGES_A_CALL = 10
LISTED_BY_DEFAULT = 100
# A queue has at most about 120,000 messages in flight at a time.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html
LISTED_MOST = 100_000
# A receive that waits asks every server of the queue; one that does not can miss messages.
RECEIVE_WAIT_SECONDS = 1
HIDDEN_SECONDS = 30
READ_PER_SECOND_LEAST = 50
RELEASE_ATTEMPTS_MOST = 3
READ_SECONDS_MOST = 60.0


class InboxState(StrEnum):
    """What the inbox says of a message's event."""

    APPLIED = "applied"
    """Its marker is stored, with the same content: delivering it again changes nothing."""
    UNAPPLIED = "unapplied"
    """It has no marker: delivering it applies it."""
    CONFLICTING = "conflicting"
    """Its marker is stored with other content: it will never be applied, and comes back."""
    UNREADABLE = "unreadable"
    """The consumer cannot read it: it comes back."""

    @property
    def comes_back(self) -> bool:
        """Whether a redrive ends where it began, as the consumer fails it every time."""
        return self in (InboxState.CONFLICTING, InboxState.UNREADABLE)


@dataclass(frozen=True)
class DeadLetter:
    """One message of the dead-letter queue; the time in milliseconds since 1970.

    `event` is None where the consumer cannot read the body, and `problem` says why. `resent` is what a copy
    of the message carries beside its body.
    """

    message_id: str
    receipt_handle: str
    body: str
    receive_count: int
    sent_at_ms: int
    resent: Mapping[str, Any]
    event: IncomingEvent | None
    problem: str | None
    state: InboxState = InboxState.UNREADABLE

    @property
    def event_id(self) -> str | None:
        """The identity of its event, if it can be read."""
        return self.event.event_id if self.event else None


@dataclass(frozen=True)
class Hidden:
    """Messages that another reader keeps from being seen, be it one that was killed."""

    count: int
    seconds: int
    """How long they stay hidden at most, if the reader was one of these verbs."""

    @classmethod
    def from_all_but(cls, seen: int, before: QueueCounts) -> "Hidden":
        """What was in flight before one's own reading, and has not been seen by it."""
        count = min(before.in_flight, max(0, before.total - seen))
        return cls(count, hidden_seconds_of(before.total) if count else 0)

    def __str__(self) -> str:
        are = "1 more is" if self.count == 1 else f"{self.count} more are"
        back = "it comes back" if self.count == 1 else "they come back"
        return f"{are} hidden by another reader; {back} within about {duration(self.seconds)}."


NONE_HIDDEN = Hidden(0, 0)


@dataclass(frozen=True)
class Listing:
    """Messages of the dead-letter queue, the oldest first."""

    letters: list[DeadLetter]
    may_have_more: bool
    """Whether the reading ended at what was asked for, or at its time, and not at the queue's end."""
    hidden: Hidden

    @property
    def is_complete(self) -> bool:
        """Whether these are all that the queue holds."""
        return not self.may_have_more and not self.hidden.count


def list_dead_letters(
    stack: Stack, most: int = LISTED_BY_DEFAULT, clock: Callable[[], float] = time.monotonic
) -> Listing:
    """Reads up to `most` messages and gives them back before it looks at the inbox."""
    before = count_messages(stack, stack["dead_letter_queue_url"])
    hidden_seconds = hidden_seconds_of(min(most, before.total))
    ends_at = clock() + hidden_seconds
    found: dict[str, DeadLetter] = {}
    may_have_more = True
    try:
        while len(found) < most and clock() < ends_at:
            received = receive(stack, min(MESSAGES_A_CALL, most - len(found)), hidden_seconds)
            if not received:
                may_have_more = False
                break
            found |= {each.message_id: each for each in received}
    finally:
        release(stack, [each.receipt_handle for each in found.values()])
    letters = sorted(judged(stack, list(found.values())), key=lambda each: each.sent_at_ms)
    return Listing(letters, may_have_more, Hidden.from_all_but(len(found), before))


def hidden_seconds_of(count: int) -> int:
    """How long a message is hidden while so many are read: long enough that none is met twice, and no longer.

    A reader that is killed hides them from everybody for as long. So the count is never what may be read at most,
    but what the queue has.
    """
    return HIDDEN_SECONDS + min(count, LISTED_MOST) // READ_PER_SECOND_LEAST


def receive(stack: Stack, count: int, hidden_seconds: int) -> list[DeadLetter]:
    """Hides and returns up to `count` messages (10 at most), read but not yet judged."""
    answer = stack.clients("sqs").receive_message(
        QueueUrl=stack["dead_letter_queue_url"],
        MaxNumberOfMessages=count,
        VisibilityTimeout=hidden_seconds,
        WaitTimeSeconds=RECEIVE_WAIT_SECONDS,
        MessageSystemAttributeNames=["ApproximateReceiveCount", "SentTimestamp", "AWSTraceHeader"],
        MessageAttributeNames=["All"],
    )
    return [_read(each) for each in answer.get("Messages", [])]


def release(stack: Stack, receipt_handles: Sequence[str]) -> None:
    """Makes messages visible again; one that SQS does not take here becomes so by itself a little later."""
    for some in in_calls(receipt_handles):
        entries = [
            {"Id": str(index), "ReceiptHandle": handle, "VisibilityTimeout": 0}
            for index, handle in enumerate(some)
        ]
        for _ in range(RELEASE_ATTEMPTS_MOST):
            answer = stack.clients("sqs").change_message_visibility_batch(
                QueueUrl=stack["dead_letter_queue_url"], Entries=entries
            )
            failed = {each["Id"] for each in answer.get("Failed", [])}
            entries = [each for each in entries if each["Id"] in failed]
            if not entries:
                break


def read_digests(stack: Stack, event_ids: Iterable[str]) -> dict[str, str]:
    """The digest of each of these events that has a marker; strongly consistent.

    Raises:
        OperatorError: DynamoDB throttles the reads for longer than READ_SECONDS_MOST.
    """
    ends = time.monotonic() + READ_SECONDS_MOST
    wanted = dict.fromkeys(event_ids)
    try:
        return read_markers(
            stack.clients("dynamodb"),
            stack["projection_table_name"],
            wanted,
            Backoff(lambda: ends - time.monotonic()),
            consistent=True,
        ).digests
    except NotReadError as error:
        raise OperatorError(f"DynamoDB keeps the reads waiting ({error}): try again in a minute.") from error


def judged(stack: Stack, letters: Sequence[DeadLetter]) -> list[DeadLetter]:
    """The messages with what the inbox says of each now."""
    digests = read_digests(stack, (each.event_id for each in letters if each.event_id))
    return [replace(each, state=state_of(each.event, digests)) for each in letters]


def state_of(event: IncomingEvent | None, digests: Mapping[str, str]) -> InboxState:
    """What the markers' digests say of an event; None stands for one that cannot be read."""
    if event is None:
        return InboxState.UNREADABLE
    stored = digests.get(event.event_id)
    if stored is None:
        return InboxState.UNAPPLIED
    return InboxState.APPLIED if stored == event.identity.digest else InboxState.CONFLICTING


def in_calls(handles: Iterable[str]) -> Iterator[list[str]]:
    """Groups that one batch call takes."""
    rest = list(handles)
    for start in range(0, len(rest), MESSAGES_A_CALL):
        yield rest[start : start + MESSAGES_A_CALL]


def _read(message: Mapping[str, Any]) -> DeadLetter:
    event, problem = _parsed(message["Body"])
    system = message["Attributes"]
    return DeadLetter(
        message_id=message["MessageId"],
        receipt_handle=message["ReceiptHandle"],
        body=message["Body"],
        receive_count=int(system["ApproximateReceiveCount"]),
        sent_at_ms=int(system["SentTimestamp"]),
        resent=_resent(message.get("MessageAttributes", {}), system.get("AWSTraceHeader")),
        event=event,
        problem=problem,
    )


def _parsed(body: str) -> tuple[IncomingEvent | None, str | None]:
    try:
        return parse_event(body), None
    except OutboxError as error:
        return None, str(error)
    except Exception as error:  # noqa: BLE001 - whatever the consumer's parser raises, the consumer fails too
        return None, f"{type(error).__name__}: {error}"


def _resent(attributes: Mapping[str, Any], trace_header: str | None) -> dict[str, Any]:
    """The attributes of a message as SendMessageBatch takes them."""
    resent: dict[str, Any] = {}
    if attributes:
        taken = ("DataType", "StringValue", "BinaryValue")
        resent["MessageAttributes"] = {
            name: {key: value[key] for key in taken if key in value} for name, value in attributes.items()
        }
    if trace_header:
        resent["MessageSystemAttributes"] = {
            "AWSTraceHeader": {"DataType": "String", "StringValue": trace_header}
        }
    return resent
