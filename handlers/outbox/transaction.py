"""Many events as few transactions: markers and merged effects, at most 100 distinct items and 4 MB each.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from outbox.canonical import digest
from outbox.effects import EFFECTS, Effect, Put, action, bytes_of, merge
from outbox.errors import describe
from outbox.items import MARKER_PREFIX, Key, inbox_marker, require_event_id
from outbox.texts import is_text

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

MAXIMUM_ACTIONS = 100
MAXIMUM_EFFECTS = MAXIMUM_ACTIONS - 1

# Of 4 MB; the rest is room for a hundred markers, and for the numbers of additions.
MAXIMUM_EFFECT_BYTES = 4_000_000


class Identity(NamedTuple):
    """Identity of an event: two messages with the same one are the same event with the same content."""

    event_id: str
    digest: str


def effects_tuple(effects: object) -> tuple[Effect, ...]:
    """All effects that a function of the domain answered.

    Raises:
        TypeError: They are one effect alone, or nothing.
    """
    if not isinstance(effects, Iterable):
        raise TypeError(f"effects must be a list or a generator, but are {describe(effects)}")
    return tuple(effects)


@dataclass(frozen=True)
class IncomingEvent:
    """A parsed message: its identity and what it changes.

    Raises:
        InvalidInputError: The event id cannot be part of a key.
        TypeError: The effects are no tuple of effects, the digest is no text, or the expiry no int.
        ValueError: An effect would change an inbox marker, two change one item and cannot be one, or there are too
            many for one transaction.
    """

    identity: Identity
    effects: tuple[Effect, ...]
    expires_at: int | None = None
    """When its marker may go, in epoch seconds; None keeps it for ever."""

    def __post_init__(self) -> None:
        # Read once for every transaction that is tried: a generator would be empty at the second.
        if not isinstance(self.effects, tuple):
            raise TypeError(f"effects must be a tuple, but are {type(self.effects).__name__}")
        require_event_id(self.event_id)
        # Of these the marker is made, later and for a whole transaction: one that cannot be stored would fail it.
        if not is_text(self.identity.digest):
            raise TypeError(
                f"The digest of {self.event_id} must be text, but is {describe(self.identity.digest)}"
            )
        if self.expires_at is not None and type(self.expires_at) is not int:
            raise TypeError(f"expires_at of {self.event_id} must be int, but is {describe(self.expires_at)}")
        for effect in self.effects:
            if not isinstance(effect, EFFECTS):
                raise TypeError(f"An effect must be Add, Put or Update, but is {type(effect).__name__}")
            if effect.key.PK.startswith(MARKER_PREFIX):
                raise ValueError(
                    f"{self.event_id} would change a key that begins with {MARKER_PREFIX}: use another"
                )
        if len(self.effects) > 1:
            self._require_one_change_an_item()

    @classmethod
    def of(cls, event_id: str, content: Mapping[str, object], effects: Iterable[Effect]) -> IncomingEvent:
        """An event whose digest covers the whole content, so that no field can change unnoticed."""
        return cls(Identity(event_id, digest(content)), effects_tuple(effects))

    @property
    def event_id(self) -> str:
        """The application's identifier, under which the marker is stored."""
        return self.identity.event_id

    @property
    def marker(self) -> Put:
        """The proof of application, stored in the same transaction as the effects."""
        return Put(inbox_marker(*self.identity, self.expires_at))

    def _require_one_change_an_item(self) -> None:
        changed: dict[Key, Effect] = {}
        for effect in self.effects:
            present = changed.get(effect.key)
            merged = merge(present, effect) if present else effect
            if merged is None:
                raise ValueError(
                    f"{self.event_id} changes {'/'.join(effect.key)} twice, which one transaction cannot: "
                    "make one effect of the two"
                )
            changed[effect.key] = merged
        if len(changed) > MAXIMUM_EFFECTS:
            raise ValueError(
                f"{self.event_id} changes {len(changed)} items; one transaction takes {MAXIMUM_EFFECTS} "
                "beside the event's marker"
            )


class Write(NamedTuple):
    """One action, and the events it is done for."""

    effect: Effect
    owners: tuple[IncomingEvent, ...]


class Transaction(NamedTuple):
    """Events that are applied together, and their writes by item."""

    events: Sequence[IncomingEvent]
    writes: Mapping[Key, Write]

    def actions(self, table: str) -> list[TransactWriteItemTypeDef]:
        """The request's actions, in the order of `writes`."""
        return [action(write.effect, table) for write in self.writes.values()]


def next_transaction(waiting: deque[IncomingEvent]) -> Transaction:
    """Takes from the events that wait as many as one transaction can hold; the others keep their order.

    Two messages with one event id and different contents share a marker, so they never meet in one
    transaction: whichever is second is judged by what the first left stored.

    No more events are passed over than a transaction holds actions, so the time for a batch grows with its size.
    """
    included: list[IncomingEvent] = []
    passed_over: list[IncomingEvent] = []
    writes: dict[Key, Write] = {}
    size = 0
    while waiting and len(writes) < MAXIMUM_ACTIONS and len(passed_over) < MAXIMUM_ACTIONS:
        event = waiting.popleft()
        changed = _changed_writes(writes, event)
        added = 0
        for effect in event.effects:
            if effect.key not in writes:
                added += bytes_of(effect)
        if (
            changed is None
            or len(writes) + len(changed.keys() - writes) > MAXIMUM_ACTIONS
            or (included and size + added > MAXIMUM_EFFECT_BYTES)  # alone, DynamoDB judges it
        ):
            passed_over.append(event)
        else:
            writes |= changed
            size += added
            included.append(event)
    waiting.extendleft(reversed(passed_over))
    return Transaction(included, writes)


def _changed_writes(writes: Mapping[Key, Write], event: IncomingEvent) -> dict[Key, Write] | None:
    """The writes that one more event adds or changes, or None when one of its effects does not merge.

    An event's marker comes before its effects: of two refusals, the marker's explains the other.
    """
    changed: dict[Key, Write] = {}
    for effect in (event.marker, *event.effects):
        key = effect.key
        present = changed.get(key) or writes.get(key)
        merged = merge(present.effect, effect) if present else effect
        if merged is None:
            return None
        owners = present.owners if present else ()
        changed[key] = Write(merged, owners if key in changed else (*owners, event))
    return changed
