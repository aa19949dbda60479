"""Moves dead-letter messages back to the delivery queue, and waits until each event has its marker.

It sends first and deletes after: killed between the two it leaves a message on both queues, which is one delivery
more, and the consumer ignores that. Messages it leaves alone stay in flight until it ends, or for as long as
`invisible_seconds_of` says.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from outbox_cli.dead_letters.messages import (
    DeadLetterMessage,
    InboxState,
    read_digests,
    read_message,
    with_states,
)
from outbox_cli.errors import StoppedError
from outbox_cli.queue_messages import (
    MESSAGES_A_CALL,
    NONE_IN_FLIGHT,
    InFlight,
    Message,
    delete,
    invisible_seconds_of,
    receive,
    release,
)
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import count_messages
from outbox_cli.waiting import Wait

TOO_LONG = "BatchRequestTooLong"

OnProgress = Callable[[int, int], object]
"""Told how many messages were moved, of about how many."""
Chosen = Callable[[DeadLetterMessage], bool]


@dataclass
class Redrive:
    """The result of a redrive: the messages that were moved, and the others."""

    moved: list[DeadLetterMessage] = field(default_factory=list)
    undeleted: set[str] = field(default_factory=set)
    """Ids of messages that were sent, but could not be deleted: the next redrive sends them once more."""
    refused: dict[str, str] = field(default_factory=dict)
    """SQS's reason by message id, for messages that it did not take; they stay dead-lettered."""
    in_flight: InFlight = NONE_IN_FLIGHT
    """Messages that another reader had in flight."""
    left: int = 0
    """Messages that were visible at the start, and that another reader received or deleted meanwhile."""
    not_applied: list[str] = field(default_factory=list)
    """Ids of moved events that still have no marker."""

    @property
    def ok(self) -> bool:
        """Whether everything chosen was moved, and each event has its marker."""
        return not self.not_applied and not self.refused and self.is_complete

    @property
    def is_complete(self) -> bool:
        """Whether every message of the queue was inspected."""
        return not self.in_flight.count and not self.left

    @property
    def comes_back(self) -> int:
        """Moved messages that the consumer fails every time."""
        return comes_back(self.moved)


def redrive(
    stack: Stack,
    messages_per_second: int,
    only: InboxState | None,
    wait: Wait,
    *,
    on_progress: OnProgress = lambda *_: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Redrive:
    """Moves the messages in one state, or all, and waits until each of their events has its marker.

    Raises:
        StoppedError: stopped by Ctrl-C; says how many messages had been moved.
    """
    done = move(stack, messages_per_second, in_state(only), on_progress, sleep)
    claimed = claims(done.moved)

    def unapplied() -> list[str]:
        digests = read_digests(stack, claimed)
        return sorted(each for each, contents in claimed.items() if digests.get(each) not in contents)

    done.not_applied = wait.until(unapplied, lambda waiting: not waiting)
    return done


def claims(messages: Iterable[DeadLetterMessage]) -> dict[str, set[str]]:
    """The events that these messages apply, each with the digests of the contents that are claimed for it."""
    contents: defaultdict[str, set[str]] = defaultdict(set)
    for each in messages:
        if each.identity and each.state is InboxState.UNAPPLIED:
            contents[each.identity.event_id].add(each.identity.digest)
    return contents


def comes_back(messages: Sequence[DeadLetterMessage]) -> int:
    """How many of these messages the consumer fails every time: an event takes one of the contents claimed."""
    return sum(each.state.comes_back for each in messages) + sum(
        len(contents) - 1 for contents in claims(messages).values()
    )


def move(
    stack: Stack,
    messages_per_second: int,
    is_chosen: Chosen = lambda _: True,
    on_progress: OnProgress = lambda *_: None,
    sleep: Callable[[float], None] = time.sleep,
) -> Redrive:
    """Moves the chosen messages at a rate, and releases the others at the end, whatever happens.

    Ends when the queue shows no more messages. What the consumer fails again comes back under the id of its
    copy, and is left alone.

    Raises:
        StoppedError: stopped by Ctrl-C; says how many messages had been moved.
    """
    before = count_messages(stack, stack["dead_letter_queue_url"])
    result = Redrive()
    sent_ids: set[str] = set()
    copies: set[str] = set()
    received: dict[str, str] = {}  # the last receipt handle of each message
    try:
        while messages := _receive(stack, invisible_seconds_of(before.total)):
            received |= {each: message["ReceiptHandle"] for each, message in messages.items()}
            _delete(stack, [message for each, message in messages.items() if each in sent_ids], result)
            settled = sent_ids | copies | result.refused.keys()
            new = [read_message(message) for each, message in messages.items() if each not in settled]
            chosen = [each for each in with_states(stack, new) if is_chosen(each)]
            for some in _paced(chosen, messages_per_second):
                copy_ids = _send(stack, [messages[each.message_id] for each in some], result)
                sent = [each for each in some if each.message_id in copy_ids]
                sent_ids.update(copy_ids)
                copies.update(copy_ids.values())
                result.moved.extend(sent)
                _delete(stack, [messages[each.message_id] for each in sent], result)
                on_progress(len(result.moved), before.available)
                sleep(len(some) / messages_per_second)
    except KeyboardInterrupt:
        raise StoppedError(
            f"The redrive was stopped after {len(result.moved)} messages: "
            "the others are still in the dead-letter queue."
        ) from None
    finally:
        kept = [handle for message_id, handle in received.items() if message_id not in sent_ids]
        release(stack, stack["dead_letter_queue_url"], kept)
    inspected = len(received.keys() - copies)
    result.in_flight = InFlight.from_all_but(inspected, before)
    result.left = max(0, before.total - inspected - result.in_flight.count)
    return result


def in_state(only: InboxState | None) -> Chosen:
    """The choice of messages in one state, or of all."""
    return lambda message: only is None or message.state is only


def _receive(stack: Stack, invisible_seconds: int) -> dict[str, Message]:
    """Up to ten messages by their ids."""
    found = receive(stack, stack["dead_letter_queue_url"], MESSAGES_A_CALL, invisible_seconds)
    return {each["MessageId"]: each for each in found}


def _paced(
    messages: Sequence[DeadLetterMessage], messages_per_second: int
) -> Iterator[list[DeadLetterMessage]]:
    """Groups that one call takes, none larger than what may go out in a second."""
    size = min(MESSAGES_A_CALL, messages_per_second)
    for start in range(0, len(messages), size):
        yield list(messages[start : start + size])


def _send(stack: Stack, messages: Sequence[Message], result: Redrive) -> dict[str, str]:
    """Sends copies to the delivery queue; the id of each copy by the id of its message."""
    entries = [
        {"Id": str(index), "MessageBody": message["Body"], **_beside_body(message)}
        for index, message in enumerate(messages)
    ]
    try:
        answer = stack.clients("sqs").send_message_batch(QueueUrl=stack["queue_url"], Entries=entries)
    except ClientError as error:
        # The service's own name may stand before the code.
        if not error.response["Error"]["Code"].endswith(TOO_LONG) or len(messages) == 1:
            raise
        middle = len(messages) // 2  # the bodies together are more than one call takes
        return _send(stack, messages[:middle], result) | _send(stack, messages[middle:], result)
    ids = [message["MessageId"] for message in messages]
    for each in answer.get("Failed", []):
        result.refused[ids[int(each["Id"])]] = each["Code"]
    return {ids[int(each["Id"])]: each["MessageId"] for each in answer.get("Successful", [])}


def _beside_body(message: Message) -> dict[str, Any]:
    """Message attributes and trace header, as SendMessageBatch takes them."""
    beside: dict[str, Any] = {}
    if attributes := message.get("MessageAttributes"):
        taken = ("DataType", "StringValue", "BinaryValue")
        beside["MessageAttributes"] = {
            name: {key: value[key] for key in taken if key in value} for name, value in attributes.items()
        }
    if trace_header := message["Attributes"].get("AWSTraceHeader"):
        beside["MessageSystemAttributes"] = {
            "AWSTraceHeader": {"DataType": "String", "StringValue": trace_header}
        }
    return beside


def _delete(stack: Stack, messages: Sequence[Message], result: Redrive) -> None:
    ids = [each["MessageId"] for each in messages]
    kept = delete(stack, stack["dead_letter_queue_url"], [each["ReceiptHandle"] for each in messages])
    result.undeleted -= set(ids)
    result.undeleted |= {ids[index] for index in kept}
