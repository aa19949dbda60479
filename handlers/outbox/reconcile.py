"""Which stored events were never applied: outbox rows held against inbox markers.

Pages of rows come in, from wherever the caller reads them; nothing is kept from one page to the next. Rewriting
a row would not send it again, since an unchanged item leaves no stream record: what is lost is put on the
queue itself. Doing so for an event that is still on its way costs a delivery and changes no total.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from outbox.canonical import digest, parse_json
from outbox.errors import InvalidInputError
from outbox.items import EXPIRES_AT, ROW_PREFIX, SORT_KEY
from outbox.markers import read_markers
from outbox.retry import Backoff
from outbox.sending import StoredEvent, calls_of, send

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient

WireRow = dict[str, Any]
"""An outbox row as DynamoDB gives it, or the part of it that was asked for."""


@dataclass
class Examined:
    """Some rows by what their markers say of their events."""

    rows: int = 0
    applied: int = 0
    waiting: list[WireRow] = field(default_factory=list)
    """No marker, and not due yet."""
    expired: list[str] = field(default_factory=list)
    """No marker, and past the row's lifetime: its owner no longer wants it sent, and its marker may be gone."""
    conflicting: list[str] = field(default_factory=list)
    """The marker was stored for other content than the row has."""
    parked: dict[str, str] = field(default_factory=dict)
    """No marker, and a body that no queue accepts: why, by event id."""
    lost: list[StoredEvent] = field(default_factory=list)
    """No marker, and nothing in the row that explains it."""
    read_units: float = 0.0


@dataclass
class Resent:
    """Events that were put on the queue again, by event id, and the reasons for those that were not."""

    sent: list[str] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    unsent: dict[str, str] = field(default_factory=dict)
    error: Exception | None = None
    """The error of the last call, if it failed."""


def examine(
    client: DynamoDBClient,
    table: str,
    rows: Sequence[WireRow],
    backoff: Backoff,
    *,
    now: float,
    is_due: Callable[[WireRow], bool] = lambda _: True,
    event_types: Collection[str] = (),
) -> Examined:
    """Hold a page of rows against their markers in the projection table.

    A marker that an eventually consistent read does not show is read again with a strongly consistent one
    before its event counts as lost.

    Args:
        client: may read the table by BatchGetItem.
        table: the projection table.
        rows: a page of outbox rows.
        backoff: for what DynamoDB leaves unprocessed.
        now: epoch seconds; a row whose lifetime has ended by then is never lost.
        is_due: whether a row is old enough to be lost; one that is not is `waiting`.
        event_types: types of the events that the consumer gets, all if empty; other rows are none of its own.

    Raises:
        NotReadError: The markers could not all be read in time.
    """
    rows = [row for row in rows if _is_outbox_row(row) and is_of_types(row, event_types)]
    seen = _compared(client, table, rows, backoff, consistent=False)
    missing, seen.waiting = seen.waiting, []
    due: list[WireRow] = []
    for row in missing:
        (due if is_due(row) else seen.waiting).append(row)
    if due:
        again = settle(client, table, due, backoff, now=now)
        seen.applied += again.applied
        seen.conflicting += again.conflicting
        seen.expired, seen.parked, seen.lost = again.expired, again.parked, again.lost
        seen.read_units += again.read_units
    return seen


def settle(
    client: DynamoDBClient, table: str, rows: Sequence[WireRow], backoff: Backoff, *, now: float
) -> Examined:
    """Judge rows that are due by strongly consistent reads alone; none is left `waiting`.

    Raises:
        NotReadError: The markers could not all be read in time.
    """
    found = _compared(client, table, rows, backoff, consistent=True)
    missing, found.waiting = found.waiting, []
    for row in missing:
        event = StoredEvent.read(row, event_id_of(row))
        if has_expired(row, now):
            found.expired.append(event.event_id)
        elif event.problem is not None:
            found.parked[event.event_id] = event.problem
        else:
            found.lost.append(event)
    return found


def resend(client: SQSClient, queue_url: str, events: Iterable[StoredEvent], backoff: Backoff) -> Resent:
    """Put stored bodies on a queue, ten a call, and account for each; the first failed call is the last.

    No call starts that could be cut off: what there is no time for is `unsent`. Safe beside the relay, when run
    twice, and when killed anywhere: nothing is marked.
    """
    resent = Resent()
    failure = ""
    for call in calls_of(events):
        if failure:
            resent.unsent |= {event.event_id: failure for event in call}
            continue
        delivery = send(client, queue_url, call, backoff)
        resent.refused |= {event.event_id: reason for event, reason in delivery.refused.items()}
        failed = call[call.index(delivery.failure.event) :] if delivery.failure else []
        if delivery.failure:
            resent.error = delivery.failure.error
            failure = f"{type(resent.error).__name__}: {resent.error}"
        for event in call:
            if event in failed and event not in delivery.refused:
                resent.unsent[event.event_id] = failure
            elif event not in delivery.refused:
                resent.sent.append(event.event_id)
    return resent


def event_id_of(row: WireRow) -> str:
    """The identity under which a consumer stores the marker of a row's event."""
    return str(row["PK"]["S"])[len(ROW_PREFIX) :]


def is_of_types(row: WireRow, event_types: Collection[str]) -> bool:
    """Whether a row's event has one of these types, or there are none to have; one without a type has none."""
    return not event_types or StoredEvent.read(row, event_id_of(row)).type in event_types


def _is_outbox_row(item: WireRow) -> bool:
    """Whether an item is a row, and not another program's: each event has one row, under one key."""
    return item["SK"]["S"] == SORT_KEY and item["PK"]["S"].startswith(ROW_PREFIX) and event_id_of(item) != ""


def has_expired(row: WireRow, now: float) -> bool:
    """Whether a row's lifetime has ended; one that is no number never ends, as for DynamoDB itself.

    Another program may have written fractions of a second.
    """
    end = row.get(EXPIRES_AT, {}).get("N")
    return end is not None and Decimal(end) <= now


def _compared(
    client: DynamoDBClient, table: str, rows: Sequence[WireRow], backoff: Backoff, *, consistent: bool
) -> Examined:
    """The rows by what their markers say; those without one are `waiting`."""
    digests, read_units = read_markers(client, table, map(event_id_of, rows), backoff, consistent=consistent)
    found = Examined(rows=len(rows), read_units=read_units)
    for row in rows:
        stored = digests.get(event_id_of(row))
        if stored is None:
            found.waiting.append(row)
        elif _has_digest(row, stored):
            found.applied += 1
        else:
            found.conflicting.append(event_id_of(row))
    return found


def _has_digest(row: WireRow, stored: str) -> bool:
    """Whether the row's content is the one that a marker was stored for.

    Our own bodies are canonical already, so nearly always their text has the digest itself.
    """
    body: str = row.get("body", {}).get("S", "")
    if hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest() == stored:
        return True
    try:
        return digest(parse_json(body)) == stored
    except InvalidInputError:
        return False
