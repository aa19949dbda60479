"""Dead-letter messages, each with the inbox state of its event; all stay in their queue."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from outbox.canonical import parse_json
from outbox.errors import InvalidInputError, NotReadError, describe
from outbox.markers import read_markers
from outbox.retry import Backoff
from outbox.transaction import Identity, IncomingEvent
from outbox_cli.errors import OperatorError
from outbox_cli.queue_messages import Clock, InFlight, Message, reading
from outbox_cli.stack.deployed import Stack

LISTED_BY_DEFAULT = 100
READ_SECONDS_MOST = 60.0


class InboxState(StrEnum):
    """The state of a message's event by the inbox."""

    APPLIED = "applied"
    """Its marker is stored, with the same content: delivering it again changes nothing."""
    UNAPPLIED = "unapplied"
    """It has no marker: delivering it applies it, if the consumer understands it."""
    CONFLICTING = "conflicting"
    """Its marker is stored with other content: it will never be applied, and comes back."""
    UNREADABLE = "unreadable"
    """No consumer can read which event it is: it comes back."""

    @property
    def comes_back(self) -> bool:
        """Whether the consumer fails it every time, so that it is dead-lettered again."""
        return self in (InboxState.CONFLICTING, InboxState.UNREADABLE)


@dataclass(frozen=True)
class DeadLetterMessage:
    """A message of the dead-letter queue, without its body of up to 1 MiB.

    `identity` is None where no consumer can read the body, and `problem` says why. The time is in milliseconds
    since 1970.
    """

    message_id: str
    receive_count: int
    sent_at_ms: int
    identity: Identity | None
    problem: str | None
    state: InboxState = InboxState.UNREADABLE
    body: str | None = None
    """Only where it was asked for."""

    @property
    def event_id(self) -> str | None:
        """The identity of its event, if it can be read."""
        return self.identity.event_id if self.identity else None


@dataclass(frozen=True)
class Listing:
    """Messages of the dead-letter queue, the oldest first."""

    messages: list[DeadLetterMessage]
    may_have_more: bool
    """Whether the reading ended at what was asked for, or at its time, and not at the queue's end."""
    in_flight: InFlight

    @property
    def is_complete(self) -> bool:
        """Whether these are all that the queue holds."""
        return not self.may_have_more and not self.in_flight.count


def list_dead_letters(
    stack: Stack,
    most: int = LISTED_BY_DEFAULT,
    clock: Clock = time.monotonic,
    *,
    with_bodies: bool = False,
) -> Listing:
    """Reads up to `most` messages and releases them before it reads the inbox."""
    with reading(stack, stack["dead_letter_queue_url"], most, clock) as found:
        read = [read_message(each, with_body=with_bodies) for each in found]
    messages = sorted(with_states(stack, read), key=lambda each: each.sent_at_ms)
    return Listing(messages, found.may_have_more, found.in_flight)


def read_message(message: Message, *, with_body: bool = False) -> DeadLetterMessage:
    """The content of a message, whose state by the inbox is not read yet."""
    identity, problem = None, None
    try:
        identity = identity_in(message["Body"])
    except InvalidInputError as error:
        problem = str(error)
    system = message["Attributes"]
    return DeadLetterMessage(
        message_id=message["MessageId"],
        receive_count=int(system["ApproximateReceiveCount"]),
        sent_at_ms=int(system["SentTimestamp"]),
        identity=identity,
        problem=problem,
        body=message["Body"] if with_body else None,
    )


def identity_in(body: str) -> Identity:
    """The identity that every consumer knows this body's event by, whatever else it asks of it.

    Raises:
        InvalidInputError: No consumer can read it: it is no object of whole numbers and texts with an `event_id`.
    """
    content = parse_json(body)
    if not isinstance(content, dict):
        raise InvalidInputError(f"The event must be an object, but is {describe(content)}")
    if "event_id" not in content:
        raise InvalidInputError("The event has no event_id")
    return IncomingEvent.of(content["event_id"], content, ()).identity


def read_digests(stack: Stack, event_ids: Iterable[str]) -> dict[str, str]:
    """The digest of each of these events that has a marker; strongly consistent.

    Raises:
        OperatorError: DynamoDB throttles the reads for longer than READ_SECONDS_MOST.
    """
    wanted = dict.fromkeys(event_ids)
    try:
        return read_markers(
            stack.clients("dynamodb"),
            stack["projection_table_name"],
            wanted,
            Backoff.lasting(READ_SECONDS_MOST),
            consistent=True,
        ).digests
    except NotReadError as error:
        raise OperatorError(f"DynamoDB keeps the reads waiting ({error}): try again in a minute.") from error


def with_states(stack: Stack, messages: Sequence[DeadLetterMessage]) -> list[DeadLetterMessage]:
    """The messages with the state of each by the inbox now."""
    digests = read_digests(stack, (each.event_id for each in messages if each.event_id))
    return [replace(each, state=state_of(each.identity, digests)) for each in messages]


def state_of(identity: Identity | None, digests: Mapping[str, str]) -> InboxState:
    """The state of an event by the digests of the markers; None stands for one that cannot be read."""
    if identity is None:
        return InboxState.UNREADABLE
    stored = digests.get(identity.event_id)
    if stored is None:
        return InboxState.UNAPPLIED
    return InboxState.APPLIED if stored == identity.digest else InboxState.CONFLICTING
