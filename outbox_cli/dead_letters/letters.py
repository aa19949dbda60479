"""The dead-letter queue's messages, each with what the inbox says of its event; all are left where they are."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from outbox.errors import InvalidInputError, NotReadError
from outbox.markers import read_markers
from outbox.retry import Backoff
from outbox.transaction import Identity
from outbox_cli.dead_letters.content import identity_of, share_of
from outbox_cli.errors import OperatorError
from outbox_cli.held_messages import READ_MOST, Clock, Hidden, Message, reading
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals

LISTED_BY_DEFAULT = 100
LISTED_MOST = READ_MOST
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
        """Whether a redrive ends where it began, as the consumer fails it every time."""
        return self in (InboxState.CONFLICTING, InboxState.UNREADABLE)


@dataclass(frozen=True)
class DeadLetter:
    """What is known of a message of the dead-letter queue, without its body of up to 1 MiB.

    `identity` is None where no consumer can read the body, and `problem` says why. The time is in milliseconds
    since 1970.
    """

    message_id: str
    receive_count: int
    sent_at_ms: int
    identity: Identity | None
    share: Totals | None
    """What its event adds to the totals when it is applied; None where it is no order."""
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

    letters: list[DeadLetter]
    may_have_more: bool
    """Whether the reading ended at what was asked for, or at its time, and not at the queue's end."""
    hidden: Hidden

    @property
    def is_complete(self) -> bool:
        """Whether these are all that the queue holds."""
        return not self.may_have_more and not self.hidden.count


def list_dead_letters(
    stack: Stack,
    most: int = LISTED_BY_DEFAULT,
    clock: Clock = time.monotonic,
    *,
    with_bodies: bool = False,
) -> Listing:
    """Reads up to `most` messages and releases them before it reads the inbox."""
    with reading(stack, stack["dead_letter_queue_url"], most, clock) as found:
        read = [read_letter(each, with_body=with_bodies) for each in found]
    letters = sorted(judged(stack, read), key=lambda each: each.sent_at_ms)
    return Listing(letters, found.may_have_more, found.hidden)


def read_letter(message: Message, *, with_body: bool = False) -> DeadLetter:
    """What a message says of itself, read but not yet judged."""
    identity, problem = _identified(message["Body"])
    system = message["Attributes"]
    return DeadLetter(
        message_id=message["MessageId"],
        receive_count=int(system["ApproximateReceiveCount"]),
        sent_at_ms=int(system["SentTimestamp"]),
        identity=identity,
        share=share_of(message["Body"]),
        problem=problem,
        body=message["Body"] if with_body else None,
    )


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


def judged(stack: Stack, letters: Sequence[DeadLetter]) -> list[DeadLetter]:
    """The messages with what the inbox says of each now."""
    digests = read_digests(stack, (each.event_id for each in letters if each.event_id))
    return [replace(each, state=state_of(each.identity, digests)) for each in letters]


def state_of(identity: Identity | None, digests: Mapping[str, str]) -> InboxState:
    """What the markers' digests say of an event; None stands for one that cannot be read."""
    if identity is None:
        return InboxState.UNREADABLE
    stored = digests.get(identity.event_id)
    if stored is None:
        return InboxState.UNAPPLIED
    return InboxState.APPLIED if stored == identity.digest else InboxState.CONFLICTING


def _identified(body: str) -> tuple[Identity | None, str | None]:
    try:
        return identity_of(body), None
    except InvalidInputError as error:
        return None, str(error)
