"""Right outcomes of events after a cancelled transaction, and the items that are stored then.

Only its own marker shows that an event is applied. While the marker's action was turned down in passing, nothing
else that was turned down tells anything of the event: it may be the work of the event itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

from outbox.apply import apply_once
from outbox.effects import Add, Effect, Put
from outbox.errors import OutboxError
from outbox.items import Key as ItemKey
from outbox.retry import Backoff
from outbox.transaction import Identity, IncomingEvent
from tests.handlers.support import Clock
from tests.simulation.vectors import HOLDS, PASSING, REFUSING, Table, Told, Truth, met, vectors
from tools.simulation.reads import Key

APPLIED, DUPLICATE, UNKNOWN = "APPLIED", "DUPLICATE_IGNORED", "NotStoredError"
REFUSED, CONFLICTING = "EffectRefusedError", "ConflictingContent"
TOTAL = ItemKey("TOTAL", "S")

Guard = Literal["refuse", "skip", "none"]
World = Literal["new", "unmet", "applied", "conflicting"]
"""Nothing is stored, or another item in the effect's place, or the event, or other content under its id."""


class Subject(NamedTuple):
    """An event: it adds to the total of all, and has an effect of its own, or none."""

    name: str
    guard: Guard
    world: World

    @property
    def marker(self) -> Key:
        return f"INBOX#{self.name}", "EVENT"

    @property
    def own(self) -> Key:
        return f"OWN#{self.name}", "S"

    def event(self) -> IncomingEvent:
        effects: list[Effect] = [Add(TOTAL, {"count": 1})]
        if self.guard != "none":
            pk, sk = self.own
            effects.append(Put({"PK": pk, "SK": sk}, on_conflict=self.guard))
        return IncomingEvent(Identity(self.name, "own"), tuple(effects))

    def truth(self) -> dict[Key, Told]:
        markers = {"applied": met(digest="own"), "conflicting": met(digest="other")}
        own = {} if self.guard == "none" else {self.own: HOLDS if self.world == "new" else met(n=1)}
        return {self.marker: markers.get(self.world, HOLDS), TOTAL: HOLDS, **own}

    def outcome(self) -> str:
        """When nothing is turned down."""
        if self.world == "unmet":
            return REFUSED if self.guard == "refuse" else APPLIED
        return {"new": APPLIED, "applied": DUPLICATE, "conflicting": CONFLICTING}[self.world]


def right_outcomes(subject: Subject, vector: Mapping[Key, Told], *, has_time: bool) -> set[str]:
    """Right outcomes of an event whose first transaction is cancelled by this vector."""
    marker, own = vector[subject.marker], vector.get(subject.own, HOLDS)
    if marker == met(digest="own"):
        return {DUPLICATE}
    right = {subject.outcome()} if has_time else {subject.outcome(), UNKNOWN} - {APPLIED}
    if marker.code in PASSING:
        return right
    if marker.code in REFUSING or own.code in REFUSING or vector[TOTAL].code in REFUSING:
        right |= {REFUSED}
    if marker.has_failed and not marker.item:
        right |= {UNKNOWN}
    is_unexplained = all(told == HOLDS for told in vector.values())
    return right | {UNKNOWN} if is_unexplained else right


def deliver(subjects: Sequence[Subject], table: Table, *, has_time: bool = True) -> list[str]:
    """The outcomes of one invocation by their names."""
    clock = Clock()
    backoff = Backoff(lambda: clock.remaining if has_time or table.first else 0.0, clock.sleep, lambda: 0.5)
    outcomes = apply_once(table, table="t", events=[each.event() for each in subjects], backoff=backoff)  # type: ignore[arg-type]  # stands for a client
    return [type(each).__name__ if isinstance(each, OutboxError) else each for each in outcomes]


def search(
    guards: Sequence[Guard], passing: Sequence[str] = PASSING, refusing: Sequence[str] = REFUSING
) -> int:
    """Deliver one event for each guard, in every world under every vector; tells how many vectors there were.

    Raises:
        AssertionError: Something said is not right, or is not what is stored; or a second delivery does not
            make every event count once.
    """
    count = 0
    for subjects in _batches(guards):
        truth: Truth = {key: told for subject in subjects for key, told in subject.truth().items()}
        unshown = [subject.marker for subject in subjects]
        for vector in vectors(truth, unshown, passing, refusing):
            for has_time in (True, False):
                count += 1
                table = Table(truth, vector)
                said = deliver(subjects, table, has_time=has_time)
                context = f"{[told.code for told in vector.values()]} for {subjects}"
                for subject, outcome in zip(subjects, said, strict=True):
                    right = right_outcomes(subject, vector, has_time=has_time)
                    assert outcome in right, f"{outcome} of {subject}, where {right} are right: {context}"
                _require_stored(subjects, said, table, context)
                if not has_time:
                    # What was not acknowledged comes again.
                    again = [
                        each
                        for each, name in zip(subjects, said, strict=True)
                        if name not in (APPLIED, DUPLICATE)
                    ]
                    later = deliver(again, table)
                    assert later == [each.outcome() for each in again], f"{later} later: {context}"
    return count


def _batches(guards: Sequence[Guard]) -> Iterator[list[Subject]]:
    worlds: Mapping[bool, Sequence[World]] = {
        True: ("new", "unmet", "applied", "conflicting"),
        False: ("new", "applied", "conflicting"),
    }
    for chosen in product(*(worlds[guard != "none"] for guard in guards)):
        yield [Subject(name, guard, world) for name, guard, world in zip("abc", guards, chosen, strict=False)]


def _require_stored(subjects: Sequence[Subject], said: Sequence[str], table: Table, context: str) -> None:
    """Marker, own effect and addition of exactly the events that were said to be applied."""
    applied = [each for each, outcome in zip(subjects, said, strict=True) if outcome == APPLIED]
    stored = [action["Item"]["PK"]["S"] for action in table.stored if "Item" in action]
    expected = [f"INBOX#{each.name}" for each in applied]
    expected += [f"OWN#{each.name}" for each in applied if each.guard != "none" and each.world == "new"]
    assert sorted(stored) == sorted(expected), f"{stored} are stored, {expected} were said to be: {context}"
    added = sum(
        int(value["N"])
        for action in table.stored
        if "Key" in action
        for value in action["ExpressionAttributeValues"].values()
    )
    assert added == len(applied), f"{added} were added for {len(applied)} events: {context}"
