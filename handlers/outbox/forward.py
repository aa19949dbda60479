"""Stored events from the table's stream to the queues, unchanged and in calls of up to ten."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from outbox import log
from outbox.errors import NotSentError, describe
from outbox.invocation import BatchResponse, Record, failures, identifier_of, part_of
from outbox.retry import Backoff
from outbox.sending import Delivery, Failure, StoredEvent, calls_of, send

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient


def forward(
    client: SQSClient,
    *,
    queue_urls: Sequence[str],
    records: Iterable[Record],
    backoff: Backoff,
    function_name: str,
    queue_types: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> BatchResponse:
    """Send every newly stored event to every queue and report the first that has to come again.

    A call is the unit of order: no call starts before all events of the call before are accepted or parked.
    Within a call entries have no order, as they have none in a standard queue: should one of ten fail, it is
    sent again alone while time remains, then reported, and what follows it comes a second time, which
    consumers ignore. An event that no queue can ever accept is parked: logged, counted, left in its row.

    A queue in `queue_types` (by URL) gets the events of these types alone. One that no queue wants is logged as
    UNWANTED, and left in its row.

    Raises:
        InvalidInputError: An outbox record has no SequenceNumber to report it by; nothing was sent.
        ValueError: `queue_urls` is no list, or empty.
    """
    # An iterator would be empty at the second call: every later event would count as forwarded and reach nobody.
    urls: object = queue_urls
    if isinstance(urls, str) or not isinstance(urls, Collection) or not urls:
        raise ValueError(f"queue_urls must be a list of one URL or more, but is {describe(urls)}")
    events = [_stored_event(record) for record in records if _is_new_outbox_row(record)]
    for call in calls_of(events):
        if call[0].problem is not None:
            log.parked(call[0].event_id, call[0].problem, function_name=function_name)
            continue
        failure = _send_to_all(
            client,
            queue_urls=queue_urls,
            queue_types=queue_types,
            events=call,
            backoff=backoff,
            function_name=function_name,
        )
        if failure is not None:
            return _report(failure)
    return failures([])


def _is_wanted(event: StoredEvent, types: Collection[str] | None) -> bool:
    return types is None or event.type in types


def _report(failure: Failure) -> BatchResponse:
    error = failure.error
    if not isinstance(error, NotSentError | ClientError | BotoCoreError):
        log.unexpected(error)
    event_id = failure.event.event_id
    log.line("RELAY_RETRY", type(error).__name__, event_id, str(error), event_id=event_id, level="WARN")
    return failures([failure.event.sequence_number])


def _is_new_outbox_row(record: Record) -> bool:
    """Only an INSERT of kind OUTBOX: marking, changing, expiring or deleting a row sends nothing."""
    return record.get("eventName") == "INSERT" and _new_image(record).get("kind") == {"S": "OUTBOX"}


def _new_image(record: Record) -> Record:
    return part_of(part_of(record, "dynamodb"), "NewImage")


def _stored_event(record: Record) -> StoredEvent:
    image = _new_image(record)
    key = part_of(image, "PK").get("S", "unknown")
    return StoredEvent.read(
        image,
        part_of(image, "event_id").get("S", key),
        identifier_of(record["dynamodb"], "SequenceNumber"),
    )


def _send_to_all(
    client: SQSClient,
    *,
    queue_urls: Sequence[str],
    queue_types: Mapping[str, Collection[str]],
    events: list[StoredEvent],
    backoff: Backoff,
    function_name: str,
) -> Failure | None:
    """One group to each queue; an event counts as forwarded when no queue that wants it is left without it.

    Past the first event that failed on one queue, later queues get nothing: it will all come again.
    """
    failure: Failure | None = None
    refused: dict[StoredEvent, str] = {}
    for queue_url in queue_urls:
        wanted = [event for event in events if _is_wanted(event, queue_types.get(queue_url))]
        delivery = send(client, queue_url, wanted, backoff) if wanted else Delivery({}, None)
        refused = delivery.refused | refused
        if delivery.failure is not None:
            failure = delivery.failure
            events = events[: events.index(failure.event)]
    for event in events:
        if event in refused:
            log.parked(event.event_id, refused[event], function_name=function_name)
        elif not any(_is_wanted(event, queue_types.get(queue_url)) for queue_url in queue_urls):
            log.line("UNWANTED", event.event_id, str(event.type), event_id=event.event_id, level="WARN")
        else:
            log.line("FORWARDED", event.event_id, event_id=event.event_id)
    return failure
