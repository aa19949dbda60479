"""Each event's effect once, however often and beside whatever else the event arrives."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import BotoCoreError, ClientError

from outbox import log
from outbox.cancellation import Reason, cancellation_reasons, codes, error_code
from outbox.effects import Add, conflict
from outbox.errors import ConflictingContent, EffectRefusedError, NotStoredError, OutboxError
from outbox.items import MARKER_PREFIX
from outbox.retry import Backoff
from outbox.transaction import Identity, IncomingEvent, Transaction, Write, next_transaction

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

# "Applied" and "duplicate" are both known to be stored; anything else is reported.
Outcome = Literal["APPLIED", "DUPLICATE_IGNORED"] | OutboxError
Outcomes = dict[Identity, Outcome]

# The whole request was turned down unread: one event's values can be the cause.
_REFUSED_REQUEST = frozenset({"ValidationException", "SerializationException"})

_TIME_IS_UP = "the invocation's time is used up"

# Most conflicts end at once: so many tries of all events together, and so many of those in conflict before the
# events behind them, which may build on what they change.
_TRIES_TOGETHER = 3
_TRIES_IN_TURN = 5


@dataclass
class _Group:
    """Events to apply, how many of their transactions were turned down in passing, and why they may stay unstored."""

    events: deque[IncomingEvent]
    tries: int
    cause: str


@dataclass
class _Run:
    """One invocation: what is still to apply, and what has become of the rest."""

    client: DynamoDBClient
    table: str
    backoff: Backoff
    groups: deque[_Group] = field(default_factory=deque)
    outcomes: Outcomes = field(default_factory=dict)

    def may_call(self, group: _Group) -> bool:
        """Whether there is time for a call, after the pause that a conflict needs."""
        return self.backoff.pause(group.tries - 1) if group.tries else self.backoff.has_time()

    def next(self, events: Iterable[IncomingEvent], tries: int = 0, cause: str = _TIME_IS_UP) -> None:
        """Apply these before all others."""
        if waiting := deque(events):
            self.groups.appendleft(_Group(waiting, tries, cause))

    def last(self, events: Iterable[IncomingEvent], tries: int, cause: str) -> None:
        """Apply these after all others."""
        if waiting := deque(events):
            self.groups.append(_Group(waiting, tries, cause))

    def each_alone(self, events: Sequence[IncomingEvent], code: str) -> None:
        """Apply these next, each in a transaction of its own.

        In random order: should time be short at each receive, the same bad ones must not come first each time.
        """
        cause = f"{code} for it or others, and {_TIME_IS_UP}"
        shuffled = sorted(events, key=lambda _: self.backoff.random())
        self.groups.extendleft(_Group(deque([event]), 0, cause) for event in reversed(shuffled))


def apply_once(
    client: DynamoDBClient, *, table: str, events: Sequence[IncomingEvent], backoff: Backoff
) -> list[Outcome]:
    """Store markers and effects in as few transactions as possible; one outcome per event, in order.

    There is no read and no "in progress" state. The marker alone says whether an event was applied: it is
    stored with the effect or not at all, so a function may be killed anywhere, and a transaction whose answer
    is unknown may be sent again. A cancelled transaction is never taken for a duplicate; only a marker with
    the event's own digest is.

    The reasons of a cancelled transaction settle all events that they name, and one more transaction applies
    the others; it leaves out the effects that say "skip" and whose guard did not hold. Only the refusal of a
    shared write, or of a whole request, names nobody: then each event that can be the cause gets a transaction
    of its own, one more call for each. A conflict settles nothing: the events are tried again after a pause,
    and those whose items conflict a third time are no longer tried together with the others.
    """
    run = _Run(client, table, backoff)
    run.next({event.identity: event for event in events}.values())
    while run.groups:
        _apply(run, run.groups.popleft())
    return _in_order(events, run.outcomes)


def _apply(run: _Run, group: _Group) -> None:
    """One transaction of a group's first events, and what follows from its answer."""
    if not run.may_call(group):
        run.outcomes |= _not_stored(group.events, group.cause)
        return
    transaction = next_transaction(group.events)
    if group.events:
        run.groups.appendleft(group)
    actions = transaction.actions(run.table)
    try:
        run.backoff.call(run.client.transact_write_items, TransactItems=actions)
    except Exception as error:  # noqa: BLE001 - whatever happened, these events are not known to be stored
        reasons = cancellation_reasons(error, actions=len(actions))
        if reasons is None:
            _after_failed_call(run, transaction, error)
        elif any(reason.is_passing for reason in reasons):
            _after_conflict(run, transaction, reasons, group.tries + 1)
        else:
            _after_refusal(run, transaction, reasons)
    else:
        run.outcomes |= {event.identity: "APPLIED" for event in transaction.events}


def _after_failed_call(run: _Run, transaction: Transaction, error: Exception) -> None:
    """A call without reasons settles nothing, unless it was refused for what one event alone holds."""
    events = transaction.events
    if not isinstance(error, ClientError | BotoCoreError | OutboxError):
        log.unexpected(error)
    code = error_code(error)
    if code not in _REFUSED_REQUEST:
        run.outcomes |= _not_stored(events, f"{type(error).__name__}: {error}")
    elif len(events) > 1:
        run.each_alone(events, code)
    else:
        run.outcomes |= {event.identity: _refused(event, str(error)) for event in events}


def _after_conflict(run: _Run, transaction: Transaction, reasons: list[Reason], tries: int) -> None:
    """While an action was turned down in passing, the others prove nothing, except what a marker shows."""
    settled: Outcomes = {}
    held: set[Identity] = set()
    for write, reason in zip(transaction.writes.values(), reasons, strict=True):
        if reason.is_passing:
            held |= {event.identity for event in write.owners}
        elif reason.condition_failed and _is_marker(write) and reason.item is not None:
            settled |= {event.identity: _verdict(event, write, reason) for event in write.owners}
    run.outcomes |= settled
    rest = [event for event in transaction.events if event.identity not in settled]
    others: list[IncomingEvent] = []
    if tries >= _TRIES_TOGETHER:
        others = [event for event in rest if event.identity not in held]
        rest = [event for event in rest if event.identity in held]
    wait = run.next if tries < _TRIES_IN_TURN else run.last
    wait(rest, tries, codes(reasons))
    run.next(others)


def _after_refusal(run: _Run, transaction: Transaction, reasons: list[Reason]) -> None:
    """Settle the events that the reasons name for good; try the others again, if anything changed for them."""
    settled: Outcomes = {}
    shared: set[Identity] = set()
    for write, reason in zip(transaction.writes.values(), reasons, strict=True):
        if not reason.is_fault or _is_skipped(write, reason):
            continue
        if len(write.owners) > 1:
            shared |= {event.identity for event in write.owners}
        else:
            [event] = write.owners
            settled.setdefault(event.identity, _verdict(event, write, reason))  # a marker's word goes first
    shortened = _without_skipped(transaction, reasons, settled)
    rest = [
        shortened.get(event.identity, event) for event in transaction.events if event.identity not in settled
    ]
    run.outcomes |= settled
    if settled or shortened or shared:
        run.each_alone([event for event in rest if event.identity in shared], codes(reasons))
        run.next(event for event in rest if event.identity not in shared)
    else:
        run.outcomes |= _not_stored(rest, codes(reasons))


def _verdict(event: IncomingEvent, write: Write, reason: Reason) -> Outcome:
    if not reason.condition_failed:
        return _refused(event, reason.code)
    if not _is_marker(write):
        return EffectRefusedError(f"{event.event_id} {conflict(write.effect, reason.item)}")
    if reason.item is None:
        return NotStoredError(f"{event.event_id} met a marker that the answer does not show")
    if reason.item.get("digest") != event.identity.digest:
        return ConflictingContent(f"{event.event_id} was applied before with conflicting content")
    return "DUPLICATE_IGNORED"


def _without_skipped(
    transaction: Transaction, reasons: list[Reason], settled: Outcomes
) -> dict[Identity, IncomingEvent]:
    """The events that are still to apply without an effect whose guard did not hold, and are to do so."""
    shortened: dict[Identity, IncomingEvent] = {}
    for write, reason in zip(transaction.writes.values(), reasons, strict=True):
        if not _is_skipped(write, reason):
            continue
        [event] = write.owners
        if event.identity in settled:  # a duplicate's effects meet what they stored themselves
            continue
        event = shortened.get(event.identity, event)
        left = tuple(effect for effect in event.effects if effect is not write.effect)
        shortened[event.identity] = replace(event, effects=left)
        place = "/".join(write.effect.key)
        log.line("EFFECT_SKIPPED", event.event_id, place, event_id=event.event_id, level="WARN")
    return shortened


def _is_skipped(write: Write, reason: Reason) -> bool:
    effect = write.effect
    return reason.condition_failed and not isinstance(effect, Add) and effect.on_conflict == "skip"


def _is_marker(write: Write) -> bool:
    """Whether it is the proof of application itself, whose key no effect may have."""
    return write.effect.key.PK.startswith(MARKER_PREFIX)


def _refused(event: IncomingEvent, cause: str) -> OutboxError:
    return EffectRefusedError(f"{event.event_id} was refused by DynamoDB: {cause}")


def _not_stored(events: Iterable[IncomingEvent], cause: str) -> Outcomes:
    return {
        event.identity: NotStoredError(f"{event.event_id} is not known to be stored: {cause}")
        for event in events
    }


def _in_order(events: Sequence[IncomingEvent], outcomes: Outcomes) -> list[Outcome]:
    """The outcomes of all events; a repetition inside the batch is a duplicate of the first."""
    answers: list[Outcome] = []
    seen: set[Identity] = set()
    for event in events:
        outcome = outcomes[event.identity]
        answers.append("DUPLICATE_IGNORED" if outcome == "APPLIED" and event.identity in seen else outcome)
        seen.add(event.identity)
    return answers
