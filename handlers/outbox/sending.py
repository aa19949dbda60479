"""Stored events to one queue, in calls of up to ten whose every entry is accounted for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from outbox.bodies import MAXIMUM_BODY_BYTES, refusal
from outbox.cancellation import error_code, is_passing
from outbox.errors import InvalidInputError, NotSentError
from outbox.headers import attribute_bytes, message_attributes, stored_headers
from outbox.invocation import part_of
from outbox.retry import Backoff
from outbox.texts import utf8_bytes

if TYPE_CHECKING:
    from types_boto3_sqs import SQSClient
    from types_boto3_sqs.type_defs import SendMessageBatchRequestEntryTypeDef

# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
MAXIMUM_ENTRIES = 10

# Turned down for what the bodies are. Parking is for good, so any other code is tried again and reported:
# rates, keys, rights and queues that are missing pass or get fixed.
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html#API_SendMessage_Errors
_REFUSED = frozenset(
    {"BatchRequestTooLong", "InvalidMessageContents", "InvalidParameterValue", "MessageTooLong"}
)


@dataclass(frozen=True)
class StoredEvent:
    """One outbox row; `problem` says why its body can never be sent."""

    event_id: str
    body: str
    problem: str | None
    sequence_number: str = ""
    """Its place in the table's stream, for a row that came from there."""
    headers: Mapping[str, str] = field(default_factory=dict, compare=False)
    """Texts that are sent beside the body."""

    @classmethod
    def read(cls, row: Mapping[str, Any], event_id: str, sequence_number: str = "") -> StoredEvent:
        """The event of a row in wire form."""
        body, problem = read_body(row)
        return cls(event_id, body, problem, sequence_number, stored_headers(row))

    def entry(self, entry_id: str) -> SendMessageBatchRequestEntryTypeDef:
        """Body and headers as SendMessageBatch takes them."""
        entry: SendMessageBatchRequestEntryTypeDef = {"Id": entry_id, "MessageBody": self.body}
        if self.headers:
            entry["MessageAttributes"] = message_attributes(self.headers)
        if trace := _xray_header(self.headers):
            entry["MessageSystemAttributes"] = {
                "AWSTraceHeader": {"DataType": "String", "StringValue": trace}
            }
        return entry

    @property
    def type(self) -> str | None:
        """The `type` of its body; None for a body that tells none."""
        # Imported where a queue wants some types alone: a relay's start does without it.
        from outbox.canonical import parse_json  # noqa: PLC0415 see above

        try:
            content = parse_json(self.body)
        except InvalidInputError:
            return None
        name = content.get("type") if isinstance(content, dict) else None
        return name if isinstance(name, str) else None

    @property
    def size(self) -> int:
        """Bytes that count towards the limit of a call."""
        return utf8_bytes(self.body) + (attribute_bytes(self.headers) if self.headers else 0)


def _xray_header(headers: Mapping[str, str]) -> str | None:
    if "traceparent" not in headers:
        return None
    from outbox.tracing import xray_header  # noqa: PLC0415 only where an event carries a trace

    return xray_header(headers)


class Failure(NamedTuple):
    """The first event a queue did not accept for now."""

    event: StoredEvent
    error: Exception


class Delivery(NamedTuple):
    """Answer of one queue: events that it will never accept and why, and where sending stopped."""

    refused: dict[StoredEvent, str]
    failure: Failure | None


def read_body(item: Mapping[str, Any]) -> tuple[str, str | None]:
    """The body of an outbox row in wire form, and why no queue will ever accept it, if none will."""
    attribute = part_of(item, "body")
    body = attribute.get("S", "")
    if "S" in attribute:
        return body, refusal(body)
    if attribute:
        return body, f"the body is of DynamoDB type {next(iter(attribute))}, not text"
    return body, "the body is missing"


def calls_of(events: Iterable[StoredEvent]) -> Iterator[list[StoredEvent]]:
    """Events in stream order, in groups that fit one call; one that cannot be sent stands alone."""
    group: list[StoredEvent] = []
    size = 0
    for event in events:
        length = 0 if event.problem else event.size
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


def send(client: SQSClient, queue_url: str, events: list[StoredEvent], backoff: Backoff) -> Delivery:
    """Send one group to one queue: an answer of 200 can still hold failed entries, so each is checked."""
    refused: dict[StoredEvent, str] = {}
    unsent = events
    attempt = 0
    while True:
        try:
            answer = backoff.call(
                client.send_message_batch,
                QueueUrl=queue_url,
                Entries=[event.entry(str(i)) for i, event in enumerate(unsent)],
            )
        except Exception as error:  # noqa: BLE001 - whatever happened, these events are not known to be sent
            if _speaks_of_bodies(error_code(error)):
                delivery = _one_by_one(client, queue_url, unsent, backoff, error)
                return Delivery({**refused, **delivery.refused}, delivery.failure)
            if is_passing(error) and backoff.pause(attempt):
                attempt += 1
                continue
            return Delivery(refused, Failure(unsent[0], error))
        # Nothing of an answer is taken for granted: an entry is sent if the answer says so and nothing else.
        faults: dict[str | None, Mapping[str, Any]] = {
            each.get("Id"): each for each in answer.get("Failed", [])
        }
        sent = {each.get("Id") for each in answer.get("Successful", [])} - faults.keys()
        left: list[StoredEvent] = []
        for i, event in enumerate(unsent):
            fault = faults.get(str(i), {})
            if fault.get("SenderFault") and _speaks_of_bodies(fault.get("Code", "")):
                refused[event] = f"SQS refuses it: {fault['Code']}"
            elif str(i) not in sent:
                left.append(event)
        if not left:
            return Delivery(refused, None)
        if not backoff.pause(attempt):
            codes = sorted({fault["Code"] for fault in faults.values() if "Code" in fault})
            cause = ", ".join(codes) or "SQS said nothing of the entry"
            return Delivery(refused, Failure(left[0], NotSentError(cause)))
        unsent = left
        attempt += 1


def _speaks_of_bodies(code: str) -> bool:
    return code.rpartition(".")[2] in _REFUSED


def _one_by_one(
    client: SQSClient, queue_url: str, events: list[StoredEvent], backoff: Backoff, error: Exception
) -> Delivery:
    """Find the body a refused call was refused for: a queue's own size limit can be below the service's."""
    if len(events) == 1:
        return Delivery({events[0]: f"SQS refuses it: {error_code(error)}"}, None)
    refused: dict[StoredEvent, str] = {}
    for event in events:
        delivery = send(client, queue_url, [event], backoff)
        refused |= delivery.refused
        if delivery.failure is not None:
            return Delivery(refused, delivery.failure)
    return Delivery(refused, None)
