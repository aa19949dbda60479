"""Each event's effect once, however often and beside whatever else the event arrives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from botocore.exceptions import BotoCoreError, ClientError

from outbox import log
from outbox.cancellation import Reason, cancellation_reasons, codes, error_code
from outbox.effects import Add, conflict
from outbox.errors import ConflictingContent, EffectRefusedError, NotStoredError, OutboxError
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


def apply_once(
    client: DynamoDBClient, *, table: str, events: Sequence[IncomingEvent], backoff: Backoff
) -> list[Outcome]:
    """Store markers and effects in as few transactions as possible; one outcome per event, in order.

    There is no read and no "in progress" state. The marker alone says whether an event was applied: it is
    stored with the effect or not at all, so a function may be killed anywhere. A cancelled transaction is
    never taken for a duplicate; only a marker with the event's own digest is.

    The reasons of a cancelled transaction settle all events that they name, and one more transaction applies
    the others; it leaves out the effects that say "skip" and whose guard did not hold. Only the refusal of a
    shared write, or of a whole request, names nobody: then the events are halved until the bad one stands
    alone, at most 14 transactions for one among 99.
    """
    outcomes: Outcomes = {}
    waiting = list({event.identity: event for event in events}.values())
    while waiting:
        transaction, later = next_transaction(waiting)
        if not transaction.events:
            outcomes |= {event.identity: _oversized(event) for event in later}
            break
        if outcomes and not backoff.has_time():
            outcomes |= _not_stored(waiting, _TIME_IS_UP)
            break
        outcomes |= _apply(client, table, transaction, backoff)
        waiting = later
    return _in_order(events, outcomes)


def _apply(client: DynamoDBClient, table: str, transaction: Transaction, backoff: Backoff) -> Outcomes:
    """Try one transaction until each of its events is settled or time is short."""
    outcomes: Outcomes = {}
    attempt = 0
    while True:
        try:
            client.transact_write_items(TransactItems=transaction.actions(table))
        except Exception as error:  # noqa: BLE001 - whatever happened, these events are not known to be stored
            reasons = cancellation_reasons(error, actions=len(transaction.writes))
            if reasons is None:
                return outcomes | _after_failed_call(client, table, transaction, backoff, error)
        else:
            return outcomes | {event.identity: "APPLIED" for event in transaction.events}

        settled = _settled(transaction, reasons)
        outcomes |= settled
        shortened = _without_skipped(transaction, reasons, settled)
        rest = [
            shortened.get(event.identity, event)
            for event in transaction.events
            if event.identity not in settled
        ]
        if not rest:
            return outcomes
        if _is_shared_fault(transaction, reasons):
            return outcomes | _by_halves(client, table, rest, backoff)
        is_passing = any(reason.is_passing for reason in reasons)
        if not settled and not shortened and not is_passing:
            return outcomes | _not_stored(rest, codes(reasons))
        if not (backoff.pause(attempt) if is_passing else backoff.has_time()):
            return outcomes | _not_stored(rest, codes(reasons))
        transaction, _ = next_transaction(rest)
        attempt += 1


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


def _is_shared_fault(transaction: Transaction, reasons: list[Reason]) -> bool:
    """Whether a write that several events share was turned down: any of them can be the cause."""
    return any(
        reason.is_fault and len(write.owners) > 1
        for write, reason in zip(transaction.writes.values(), reasons, strict=True)
    )


def _after_failed_call(
    client: DynamoDBClient, table: str, transaction: Transaction, backoff: Backoff, error: Exception
) -> Outcomes:
    """A call without reasons settles nothing; only a refused request is worth taking apart."""
    if not isinstance(error, ClientError | BotoCoreError):
        log.unexpected(error)
    if error_code(error) in _REFUSED_REQUEST and len(transaction.events) > 1:
        return _by_halves(client, table, transaction.events, backoff)
    return _not_stored(transaction.events, f"{type(error).__name__}: {error}")


def _by_halves(
    client: DynamoDBClient, table: str, events: Sequence[IncomingEvent], backoff: Backoff
) -> Outcomes:
    """A transaction for each half, and so on within it, so that a bad event fails alone."""
    outcomes: Outcomes = {}
    middle = len(events) // 2
    for half in filter(None, (events[:middle], events[middle:])):
        if backoff.has_time():
            transaction, _ = next_transaction(half)
            outcomes |= _apply(client, table, transaction, backoff)
        else:
            outcomes |= _not_stored(half, _TIME_IS_UP)
    return outcomes


def _not_stored(events: Iterable[IncomingEvent], cause: str) -> Outcomes:
    return {
        event.identity: NotStoredError(f"{event.event_id} is not known to be stored: {cause}")
        for event in events
    }


def _oversized(event: IncomingEvent) -> OutboxError:
    return EffectRefusedError(
        f"{event.event_id} changes an item twice, or too many items for one transaction"
    )


def _in_order(events: Sequence[IncomingEvent], outcomes: Outcomes) -> list[Outcome]:
    """The outcomes of all events; a repetition inside the batch is a duplicate of the first."""
    answers: list[Outcome] = []
    seen: set[Identity] = set()
    for event in events:
        outcome = outcomes[event.identity]
        answers.append("DUPLICATE_IGNORED" if outcome == "APPLIED" and event.identity in seen else outcome)
        seen.add(event.identity)
    return answers
