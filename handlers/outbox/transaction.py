"""Many events as few transactions: markers and merged effects, at most 100 distinct items each.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from outbox.canonical import digest
from outbox.effects import Effect, Put, action, merge
from outbox.errors import InvalidInputError
from outbox.items import Key, inbox_marker

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

MAXIMUM_ACTIONS = 100

# A partition key has at most 2,048 bytes; this leaves room for every prefix.
MAXIMUM_EVENT_ID_BYTES = 1_024


class Identity(NamedTuple):
    """What makes two messages the same event with the same content."""

    event_id: str
    digest: str


@dataclass(frozen=True)
class IncomingEvent:
    """A parsed message: its identity and what it changes."""

    identity: Identity
    effects: tuple[Effect, ...]

    @classmethod
    def of(cls, event_id: str, content: Mapping[str, object], effects: Iterable[Effect]) -> IncomingEvent:
        """An event whose digest covers the whole content, so that no field can change unnoticed.

        Raises:
            InvalidInputError: The event id cannot be part of a key.
        """
        if not 1 <= len(event_id.encode("utf-8", "surrogatepass")) <= MAXIMUM_EVENT_ID_BYTES:
            raise InvalidInputError(f"event_id must have 1 to {MAXIMUM_EVENT_ID_BYTES} UTF-8 bytes")
        return cls(Identity(event_id, digest(content)), tuple(effects))

    @property
    def event_id(self) -> str:
        """The application's identifier, under which the marker is stored."""
        return self.identity.event_id

    @property
    def marker(self) -> Put:
        """The proof of application, stored in the same transaction as the effects."""
        return Put(inbox_marker(*self.identity))


class Write(NamedTuple):
    """One action, and the events it is done for."""

    effect: Effect
    owners: tuple[IncomingEvent, ...]


@dataclass(frozen=True)
class Transaction:
    """Events that are applied together, and their writes by item."""

    events: tuple[IncomingEvent, ...] = ()
    writes: Mapping[Key, Write] = field(default_factory=dict)

    def including(self, event: IncomingEvent) -> Transaction | None:
        """This transaction with one more event, or None when it cannot hold the event as well.

        An event's marker comes before its effects: of two refusals, the marker's explains the other.
        """
        writes = dict(self.writes)
        for effect in (event.marker, *event.effects):
            present = writes.get(effect.key)
            merged = merge(present.effect, effect) if present else effect
            if merged is None:
                return None
            owners = present.owners if present else ()
            writes[effect.key] = Write(merged, owners if event in owners else (*owners, event))
        return Transaction((*self.events, event), writes) if len(writes) <= MAXIMUM_ACTIONS else None

    def actions(self, table: str) -> list[TransactWriteItemTypeDef]:
        """The request's actions, in the order of `writes`."""
        return [action(write.effect, table) for write in self.writes.values()]


def next_transaction(events: Iterable[IncomingEvent]) -> tuple[Transaction, list[IncomingEvent]]:
    """A transaction of as many events as it can hold, and the events left for later ones.

    Two messages with one event id and different contents share a marker, so they never meet in one
    transaction: whichever is second is judged by what the first left stored.
    """
    transaction, later = Transaction(), []
    for event in events:
        larger = transaction.including(event)
        if larger is None:
            later.append(event)
        else:
            transaction = larger
    return transaction, later
