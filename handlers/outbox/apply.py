"""Each event's effect once, however often and beside whatever else the event arrives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import BotoCoreError, ClientError

from outbox import log
from outbox.cancellation import Reason, cancellation_reasons, codes, error_code
from outbox.effects import Add, conflict
from outbox.errors import ConflictingContent, EffectRefusedError, NotStoredError, OutboxError
from outbox.faults import Faults
from outbox.retry import Backoff
from outbox.transaction import Identity, IncomingEvent, Transaction, Write, next_transaction

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

# "Applied" and "duplicate" are both known to be stored; anything else is reported.
Outcome = Literal["APPLIED", "DUPLICATE_IGNORED"] | OutboxError
Outcomes = dict[Identity, Outcome]

# The whole request was turned down unread: one event's values can be the cause.
_REFUSED_REQUEST = frozenset({"ValidationException", "SerializationException"})

_TIME_IS_UP = "the invocation's time is used up"


@dataclass
class _Run:
    """One invocation's transactions: where to, for how long, and what they have shown."""

    client: DynamoDBClient
    table: str
    backoff: Backoff
    faults: Faults = field(default_factory=Faults)


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
    shared write, or of a whole request, names nobody: then the events are halved until the bad one stands
    alone, at most 14 transactions for one among 99. When three events have failed alone for the same cause
    and none was stored, nothing is halved for it any more: at most 15 transactions if all 99 fail.
    """
    run = _Run(client, table, backoff)
    outcomes = _apply_all(run, list({event.identity: event for event in events}.values()))
    return _in_order(events, outcomes)


def _apply_all(run: _Run, events: Sequence[IncomingEvent]) -> Outcomes:
    """Settle all events, one transaction after the other."""
    outcomes: Outcomes = {}
    waiting = events
    while waiting:
        if not run.backoff.has_time():
            return outcomes | _not_stored(waiting, _TIME_IS_UP)
        settled, waiting = _apply(run, waiting)
        outcomes |= settled
    return outcomes


def _apply(run: _Run, events: Sequence[IncomingEvent]) -> tuple[Outcomes, list[IncomingEvent]]:
    """Try one transaction until each of its events is settled or time is short; and the events left for later."""
    outcomes: Outcomes = {}
    later: list[IncomingEvent] = []
    rest = events
    attempt = 0
    while rest:
        try:
            transaction, others = next_transaction(rest)
            actions = transaction.actions(run.table)
        except Exception as error:  # noqa: BLE001 - a value of one event raised: its neighbours must not fail
            return outcomes | _not_built(run, rest, error), later
        if not transaction.events:
            return {event.identity: _changed_since(event) for event in others}, []
        settled, rest = _attempt(run, transaction, actions, attempt)
        outcomes |= settled
        later += others
        attempt += 1
    return outcomes, later


def _attempt(
    run: _Run, transaction: Transaction, actions: list[TransactWriteItemTypeDef], attempt: int
) -> tuple[Outcomes, list[IncomingEvent]]:
    """One call, and what it settles; the events to try again are returned after the pause that they need."""
    try:
        run.backoff.call(run.client.transact_write_items, TransactItems=actions)
    except Exception as error:  # noqa: BLE001 - whatever happened, these events are not known to be stored
        reasons = cancellation_reasons(error, actions=len(actions))
        if reasons is None:
            return _after_failed_call(run, transaction, error), []
    else:
        run.faults.stored(transaction)
        return {event.identity: "APPLIED" for event in transaction.events}, []

    given_up, is_unclear = _shared_faults(transaction, reasons, run.faults)
    settled = given_up | _settled(transaction, reasons)
    shortened = _without_skipped(transaction, reasons, settled)
    rest = [
        shortened.get(event.identity, event) for event in transaction.events if event.identity not in settled
    ]
    if is_unclear:
        return settled | _by_halves(run, rest), []
    is_passing = any(reason.is_passing for reason in reasons)
    is_changed = bool(settled or shortened)
    if rest and not (run.backoff.pause(attempt) if is_passing else is_changed and run.backoff.has_time()):
        return settled | _not_stored(rest, codes(reasons)), []
    return settled, rest


def _settled(transaction: Transaction, reasons: list[Reason]) -> Outcomes:
    """What the reasons say for good about single events; a marker's word goes before an effect's."""
    settled: Outcomes = {}
    for write, reason in zip(transaction.writes.values(), reasons, strict=True):
        if reason.is_fault and len(write.owners) == 1 and not _is_skipped(write, reason):
            [event] = write.owners
            settled.setdefault(event.identity, _verdict(event, write, reason))
    return settled


def _verdict(event: IncomingEvent, write: Write, reason: Reason) -> Outcome:
    if not reason.condition_failed:
        return EffectRefusedError(f"{event.event_id} was refused by DynamoDB: {reason.code}")
    if write.effect != event.marker:
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


def _shared_faults(transaction: Transaction, reasons: list[Reason], faults: Faults) -> tuple[Outcomes, bool]:
    """The events of hopeless writes, given up; and whether another write that several share was turned down.

    Any of its events can be the cause of that one.
    """
    given_up: Outcomes = {}
    is_unclear = False
    for (key, write), reason in zip(transaction.writes.items(), reasons, strict=True):
        if not reason.is_fault or not isinstance(write.effect, Add):
            continue
        cause = (key, reason.code)
        faults.struck(transaction, [cause])
        if len(write.owners) > 1:
            if faults.is_hopeless(cause):
                given_up |= _not_stored(
                    write.owners, f"{'/'.join(key)} is refused for every event: {reason.code}"
                )
            else:
                is_unclear = True
    return given_up, is_unclear


def _after_failed_call(run: _Run, transaction: Transaction, error: Exception) -> Outcomes:
    """A call without reasons settles nothing; only a refused request is worth taking apart."""
    if not isinstance(error, ClientError | BotoCoreError | OutboxError):
        log.unexpected(error)
    code = error_code(error)
    if code in _REFUSED_REQUEST:
        run.faults.struck(transaction, [(None, code)])
        if len(transaction.events) > 1 and not run.faults.is_hopeless((None, code)):
            return _by_halves(run, transaction.events)
    return _not_stored(transaction.events, f"{type(error).__name__}: {error}")


def _not_built(run: _Run, events: Sequence[IncomingEvent], error: Exception) -> Outcomes:
    """No call was made; halves find the event whose values raised."""
    if len(events) > 1:
        return _by_halves(run, events)
    log.unexpected(error)
    return {
        event.identity: EffectRefusedError(f"{event.event_id} cannot be written: {error}") for event in events
    }


def _by_halves(run: _Run, events: Sequence[IncomingEvent]) -> Outcomes:
    """A transaction for each half, and so on within it, so that a bad event fails alone."""
    middle = len(events) // 2
    return _apply_all(run, events[:middle]) | _apply_all(run, events[middle:])


def _not_stored(events: Iterable[IncomingEvent], cause: str) -> Outcomes:
    return {
        event.identity: NotStoredError(f"{event.event_id} is not known to be stored: {cause}")
        for event in events
    }


def _changed_since(event: IncomingEvent) -> OutboxError:
    return EffectRefusedError(f"{event.event_id} has effects that were changed after they were made")


def _in_order(events: Sequence[IncomingEvent], outcomes: Outcomes) -> list[Outcome]:
    """The outcomes of all events; a repetition inside the batch is a duplicate of the first."""
    answers: list[Outcome] = []
    seen: set[Identity] = set()
    for event in events:
        outcome = outcomes[event.identity]
        answers.append("DUPLICATE_IGNORED" if outcome == "APPLIED" and event.identity in seen else outcome)
        seen.add(event.identity)
    return answers
