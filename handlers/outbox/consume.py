"""A queue's batch: each message judged alone, the good ones applied together."""

from __future__ import annotations

import inspect
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from outbox import log
from outbox.apply import apply_once
from outbox.canonical import parse_json
from outbox.errors import DomainCodeError, InvalidInputError, OutboxError, describe, words_of
from outbox.headers import received_headers, row_end
from outbox.invocation import BatchResponse, Record, failures, identifier_of
from outbox.items import expiry, require_event_id, require_lifetime
from outbox.retry import Backoff
from outbox.settings import whole_number
from outbox.transaction import IncomingEvent

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


def consume(
    client: DynamoDBClient,
    *,
    table: str,
    records: Sequence[Record],
    parse: Callable[[str], IncomingEvent] | Callable[[str, Mapping[str, str]], IncomingEvent],
    backoff: Backoff,
    fault_event_id: str | None = None,
    marker_lifetime_seconds: int | None = None,
    now: Callable[[], float] = time.time,
) -> BatchResponse:
    """Apply every message of a batch once and report those not known to be stored.

    A message with `fault_event_id` is reported although its effect is stored: the failure between commit
    and acknowledgement that redelivery has to survive, made on purpose.

    With `marker_lifetime_seconds` above 0, DynamoDB may delete a marker so long after `now` (epoch seconds) and after
    the end of its event's row, whichever is later. The message tells that end; without it the row may be there for
    ever and be sent again, so the marker stays. INBOX_MARKER_LIFETIME_SECONDS is the default: the setting of the
    function's component. A marker that has expired and is still there proves its event as before.

    `parse` takes the body and, where it has a second parameter, the message's headers.

    Raises:
        ValueError: `marker_lifetime_seconds` is no whole number from 0; nothing was applied.
        InvalidInputError: A record has no messageId to report it by; nothing was applied.
        SettingError: INBOX_MARKER_LIFETIME_SECONDS is no whole number; nothing was applied.
    """
    if marker_lifetime_seconds is None:
        marker_lifetime_seconds = whole_number(os.environ, "INBOX_MARKER_LIFETIME_SECONDS", default=0)
    require_lifetime("marker_lifetime_seconds", marker_lifetime_seconds)
    takes_headers = _takes_headers(parse)
    failed: list[str] = []
    parsed: list[tuple[str, IncomingEvent]] = []

    def fail(message_id: str, error: Exception, event_id: str | None = None) -> None:
        told = words_of(error)
        words = ["RETRY", f"{type(error).__name__}: {told}"]
        if event_id is None:
            words.append(f"(message {message_id})")
        elif not told.startswith(f"{event_id} "):  # there alone `outbox trace` reads it as the id
            words.append(event_id)
        log.line(*words, event_id=event_id, level="WARN")
        failed.append(message_id)

    for message_id, record in [(identifier_of(record, "messageId"), record) for record in records]:
        try:
            headers = received_headers(record)
            body = _body_of(record)
            event = parse(body, headers) if takes_headers else parse(body)  # type: ignore[call-arg]
            if not isinstance(event, IncomingEvent):
                raise InvalidInputError(f"parse must answer an IncomingEvent, but answered {describe(event)}")
            if marker_lifetime_seconds and (end := row_end(headers)) is not None:
                event = replace(event, expires_at=expiry(max(now(), end), marker_lifetime_seconds))
            parsed.append((message_id, event))
        except Exception as error:  # noqa: BLE001 - one message's surprise must not fail its neighbours
            if isinstance(error, DomainCodeError) or not isinstance(error, OutboxError):
                log.unexpected(error)
            fail(message_id, error, _claimed_id(record))

    outcomes = apply_once(client, table=table, events=[event for _, event in parsed], backoff=backoff)
    for (message_id, event), outcome in zip(parsed, outcomes, strict=True):
        if isinstance(outcome, OutboxError):
            fail(message_id, outcome, event.event_id)
            continue
        log.line(outcome, event.event_id, event_id=event.event_id)
        if event.event_id == fault_event_id:
            fail(message_id, RuntimeError("INJECTED_AFTER_COMMIT"), event.event_id)
    return failures(failed)


@lru_cache(maxsize=8)  # asked at every invocation, of the same function
def _takes_headers(parse: Callable[..., IncomingEvent]) -> bool:
    parameters = inspect.signature(parse).parameters.values()
    return sum(each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD) for each in parameters) > 1


def _body_of(record: Record) -> str:
    body = record.get("body")
    if not isinstance(body, str):
        raise InvalidInputError(f"body of the message must be text, but is {describe(body)}")
    return body


def _claimed_id(record: Record) -> str | None:
    """The event id that a body which was refused gives itself, by which its log line is found; None without one."""
    try:
        content: Any = parse_json(_body_of(record))
        require_event_id(content["event_id"])
    except (InvalidInputError, LookupError, TypeError):
        return None
    return str(content["event_id"])
