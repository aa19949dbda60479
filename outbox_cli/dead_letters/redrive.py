"""Moves selected dead-letter messages back to the delivery queue.

It sends first and deletes after: killed between the two it leaves a message on both queues, which is one delivery
more, and the consumer ignores that. Messages it leaves alone stay in flight until it ends, or for as long as
`hidden_seconds_of` says.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from botocore.exceptions import ClientError

from outbox_cli.dead_letters.letters import DeadLetter, InboxState, judged, read_letter
from outbox_cli.errors import StoppedError
from outbox_cli.held_messages import (
    MESSAGES_A_CALL,
    NONE_HIDDEN,
    Hidden,
    Message,
    delete,
    hidden_seconds_of,
    receive,
    release,
)
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import count_messages

RUNNING = "RUNNING"
TOO_LONG = "BatchRequestTooLong"


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
    seen: set[str] = field(default_factory=set)
    """Ids of all the messages that were met, moved or not."""
    hidden: Hidden = NONE_HIDDEN
    """Those that could not be looked at."""


def move_chosen(
    stack: Stack,
    messages_per_second: int,
    is_chosen: Callable[[DeadLetter], bool],
    on_progress: OnProgress = lambda _: None,
    sleep: Sleep = time.sleep,
) -> Moved:
    """Moves the chosen messages at a rate, and releases the others at the end, whatever happens.

    Ends when the queue shows no more messages. What the consumer fails again comes back under the id of its
    copy, and is left alone.

    Raises:
        StoppedError: stopped by Ctrl-C; says how many messages had been moved.
    """
    queue_url = stack["dead_letter_queue_url"]
    before = count_messages(stack, queue_url)
    moved = Moved()
    done: set[str] = set()
    copies: set[str] = set()
    left_alone: dict[str, str] = {}
    try:
        while received := receive(stack, queue_url, MESSAGES_A_CALL, hidden_seconds_of(before.total)):
            messages = {each["MessageId"]: each for each in received}
            left_alone |= {each: message["ReceiptHandle"] for each, message in messages.items()}
            _delete(stack, [message for each, message in messages.items() if each in done], moved)
            settled = done | copies | moved.refused.keys()
            fresh = [read_letter(message) for each, message in messages.items() if each not in settled]
            chosen = [each for each in judged(stack, fresh) if is_chosen(each)]
            for some in _paced(chosen, messages_per_second):
                copy_ids = _send(stack, [messages[each.message_id] for each in some], moved)
                sent = [each for each in some if each.message_id in copy_ids]
                done.update(copy_ids)
                copies.update(copy_ids.values())
                moved.letters.extend(sent)
                _delete(stack, [messages[each.message_id] for each in sent], moved)
                on_progress(Redrive(RUNNING, len(moved.letters), before.available))
                sleep(len(some) / messages_per_second)
    except KeyboardInterrupt:
        raise StoppedError(
            f"The redrive was stopped after {len(moved.letters)} messages: "
            "the others are still in the dead-letter queue."
        ) from None
    finally:
        kept = [handle for message_id, handle in left_alone.items() if message_id not in done]
        release(stack, queue_url, kept)
    moved.seen = left_alone.keys() - copies
    moved.hidden = Hidden.from_all_but(len(moved.seen), before)
    return moved


def state_is(only: InboxState | None) -> Callable[[DeadLetter], bool]:
    """The choice of messages in one state, or of all."""
    return lambda letter: only is None or letter.state is only


def _paced(letters: Sequence[DeadLetter], messages_per_second: int) -> Iterator[list[DeadLetter]]:
    """Groups that one call takes, none larger than what may go out in a second."""
    size = min(MESSAGES_A_CALL, messages_per_second)
    for start in range(0, len(letters), size):
        yield list(letters[start : start + size])


def _send(stack: Stack, messages: Sequence[Message], moved: Moved) -> dict[str, str]:
    """Sends copies to the delivery queue; the id of each copy by the id of its message."""
    entries = [
        {"Id": str(index), "MessageBody": message["Body"], **_beside_body(message)}
        for index, message in enumerate(messages)
    ]
    try:
        answer = stack.clients("sqs").send_message_batch(QueueUrl=stack["queue_url"], Entries=entries)
    except ClientError as error:
        if code_of(error) != TOO_LONG or len(messages) == 1:
            raise
        middle = len(messages) // 2  # the bodies together are more than one call takes
        return _send(stack, messages[:middle], moved) | _send(stack, messages[middle:], moved)
    ids = [message["MessageId"] for message in messages]
    for each in answer.get("Failed", []):
        moved.refused[ids[int(each["Id"])]] = each["Code"]
    return {ids[int(each["Id"])]: each["MessageId"] for each in answer.get("Successful", [])}


def _beside_body(message: Message) -> dict[str, Any]:
    """What a message carries beside its body, as SendMessageBatch takes it."""
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


def _delete(stack: Stack, messages: Sequence[Message], moved: Moved) -> None:
    ids = [each["MessageId"] for each in messages]
    kept = delete(stack, stack["dead_letter_queue_url"], [each["ReceiptHandle"] for each in messages])
    moved.kept -= set(ids)
    moved.kept |= {ids[index] for index in kept}


def code_of(error: ClientError) -> str:
    """The code of a refusal, without the service's own name before it."""
    return str(error.response["Error"]["Code"]).rpartition(".")[2]
