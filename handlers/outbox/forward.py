"""Stored events from the table's stream to the queues, unchanged and in calls of up to ten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from botocore.exceptions import BotoCoreError, ClientError

from outbox import log
from outbox.bodies import MAXIMUM_BODY_BYTES, body_bytes, refusal
from outbox.cancellation import error_code
from outbox.errors import NotSentError
from outbox.invocation import BatchResponse, Record, failures, identifier_of
from outbox.retry import Backoff

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import BatchResultErrorEntryTypeDef

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
MAXIMUM_ENTRIES = 10

# The request was turned down for what its bodies are, not for how the service is.
_REFUSED_CALL = frozenset({"BatchRequestTooLong", "InvalidMessageContents", "InvalidParameterValue"})


@dataclass(frozen=True)
class StoredEvent:
    """One outbox row from the stream; `problem` says why its body can never be sent."""

    sequence_number: str
    event_id: str
    body: str
    problem: str | None


class Failure(NamedTuple):
    """The first event a queue did not accept for now."""

    event: StoredEvent
    error: Exception


class Delivery(NamedTuple):
    """What one queue said: events it will never accept and why, and where sending stopped."""

    refused: dict[StoredEvent, str]
    failure: Failure | None


def forward(
    client: SQSClient,
    *,
    queue_urls: Sequence[str],
    records: Iterable[Record],
    backoff: Backoff,
    function_name: str,
) -> BatchResponse:
    """Send every newly stored event to every queue and report the first that has to come again.

    A call is the unit of order: no call starts before all events of the call before are accepted or parked.
    Within a call entries have no order, as they have none in a standard queue: should one of ten fail, it is
    sent again alone while time remains, then reported, and what follows it comes a second time, which
    consumers ignore. An event that no queue can ever accept is parked: logged, counted, left in its row.

    Raises:
        InvalidInputError: An outbox record has no SequenceNumber to report it by; nothing was sent.
        ValueError: There is no queue to send to.
    """
    if not queue_urls:
        raise ValueError("queue_urls is empty: every event would count as forwarded and reach nobody")
    events = [_stored_event(record) for record in records if _is_new_outbox_row(record)]
    for number, call in enumerate(_calls(events)):
        if call[0].problem is not None:
            log.parked(call[0].event_id, call[0].problem, function_name=function_name)
            continue
        if number > 0 and not backoff.has_time():
            return _report(Failure(call[0], NotSentError("the invocation's time is used up")))
        failure = _send_to_all(client, queue_urls, call, backoff, function_name)
        if failure is not None:
            return _report(failure)
    return failures([])


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


def _new_image(record: Record) -> Mapping[str, Any]:
    image: Mapping[str, Any] = record.get("dynamodb", {}).get("NewImage", {})
    return image


def _stored_event(record: Record) -> StoredEvent:
    image = _new_image(record)
    attribute: Mapping[str, Any] = image.get("body", {})
    body = attribute.get("S", "")
    if "S" in attribute:
        problem = refusal(body)
    elif attribute:
        problem = f"the body is of DynamoDB type {next(iter(attribute))}, not text"
    else:
        problem = "the body is missing"
    key = image.get("PK", {}).get("S", "unknown")
    return StoredEvent(
        sequence_number=identifier_of(record["dynamodb"], "SequenceNumber"),
        event_id=image.get("event_id", {}).get("S", key),
        body=body,
        problem=problem,
    )


def _calls(events: Iterable[StoredEvent]) -> Iterator[list[StoredEvent]]:
    """Events in stream order, in groups that fit one call; one that cannot be sent stands alone."""
    group: list[StoredEvent] = []
    size = 0
    for event in events:
        length = 0 if event.problem else body_bytes(event.body)
        if group and (event.problem or len(group) == MAXIMUM_ENTRIES or size + length > MAXIMUM_BODY_BYTES):
            yield group
            group, size = [], 0
        if event.problem:
            yield [event]
        else:
            group.append(event)
            size += length
    if group:
        yield group


def _send_to_all(
    client: SQSClient,
    queue_urls: Sequence[str],
    events: list[StoredEvent],
    backoff: Backoff,
    function_name: str,
) -> Failure | None:
    """One group to each queue; an event counts as forwarded when no queue is left without it.

    Past the first event that failed on one queue, later queues get nothing: it will all come again.
    """
    failure: Failure | None = None
    refused: dict[StoredEvent, str] = {}
    for queue_url in queue_urls:
        delivery = _send(client, queue_url, events, backoff) if events else Delivery({}, None)
        refused = delivery.refused | refused
        if delivery.failure is not None:
            failure = delivery.failure
            events = events[: events.index(failure.event)]
    for event in events:
        if event in refused:
            log.parked(event.event_id, refused[event], function_name=function_name)
        else:
            log.line("FORWARDED", event.event_id, event_id=event.event_id)
    return failure


def _send(client: SQSClient, queue_url: str, events: list[StoredEvent], backoff: Backoff) -> Delivery:
    """One group to one queue: an answer of 200 can still hold failed entries, so each is looked at."""
    refused: dict[StoredEvent, str] = {}
    unsent = events
    attempt = 0
    while True:
        try:
            answer = client.send_message_batch(
                QueueUrl=queue_url,
                Entries=[{"Id": str(i), "MessageBody": event.body} for i, event in enumerate(unsent)],
            )
        except Exception as error:  # noqa: BLE001 - whatever happened, these events are not known to be sent
            if error_code(error).rpartition(".")[2] in _REFUSED_CALL:
                delivery = _one_by_one(client, queue_url, unsent, backoff, error)
                return Delivery({**refused, **delivery.refused}, delivery.failure)
            return Delivery(refused, Failure(unsent[0], error))
        faults = {entry["Id"]: entry for entry in answer.get("Failed", [])}
        sent = {entry["Id"] for entry in answer.get("Successful", [])}
        left: list[StoredEvent] = []
        for i, event in enumerate(unsent):
            fault = faults.get(str(i))
            if fault is not None and _is_refusal(fault):
                refused[event] = f"SQS refuses it: {fault['Code']}"
            elif str(i) not in sent:
                left.append(event)
        if not left:
            return Delivery(refused, None)
        if not backoff.pause(attempt):
            codes = sorted({fault["Code"] for fault in faults.values()})
            cause = ", ".join(codes) or "SQS said nothing of the entry"
            return Delivery(refused, Failure(left[0], NotSentError(cause)))
        unsent = left
        attempt += 1


def _is_refusal(fault: BatchResultErrorEntryTypeDef) -> bool:
    """The sender's fault lies in the body, unless its code speaks of rights, keys or request rates.

    Throttling and denied access can be counted as faults of the sender too, but they pass or get fixed.
    """
    code = fault["Code"].lower()
    return fault["SenderFault"] and not any(word in code for word in ("throttl", "kms", "denied"))


def _one_by_one(
    client: SQSClient, queue_url: str, events: list[StoredEvent], backoff: Backoff, error: Exception
) -> Delivery:
    """Find the body a refused call was refused for: a queue's own size limit can be below the service's."""
    if len(events) == 1:
        return Delivery({events[0]: f"SQS refuses it: {error_code(error)}"}, None)
    refused: dict[StoredEvent, str] = {}
    for event in events:
        if not backoff.has_time():
            return Delivery(refused, Failure(event, NotSentError("the invocation's time is used up")))
        delivery = _send(client, queue_url, [event], backoff)
        refused |= delivery.refused
        if delivery.failure is not None:
            return Delivery(refused, delivery.failure)
    return Delivery(refused, None)
