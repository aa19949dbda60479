"""The records a function receives, in the exact shapes Lambda gives them.

Sources: https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html and
https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, example events.
"""

import base64
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

ITEMS = ("Keys", "NewImage", "OldImage")  # of a stream record
PAYLOAD_BYTES_MOST = 6 * 1024 * 1024  # of a synchronous invocation; a batch is cut before it is passed
SEPARATOR = b", "

Record = dict[str, Any]

_in_unicode = json.JSONEncoder(check_circular=False, ensure_ascii=False).encode  # a tree of our own making
_in_ascii = json.JSONEncoder(check_circular=False).encode


def queue_record(message: Mapping[str, Any], *, source_arn: str, region: str) -> Record:
    """One message of a ReceiveMessage answer as Lambda delivers it."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message.get("Attributes") or {}),
        "messageAttributes": {
            name: _message_attribute(value)
            for name, value in (message.get("MessageAttributes") or {}).items()
        },
        "md5OfBody": message["MD5OfBody"],
        "eventSource": "aws:sqs",
        "eventSourceARN": source_arn,
        "awsRegion": region,
    }


def stream_record(record: Mapping[str, Any], *, source_arn: str, region: str) -> Record:
    """One record of a GetRecords answer as Lambda delivers it."""
    change = record["dynamodb"]
    event = {
        "eventID": record["eventID"],
        "eventName": record["eventName"],
        "eventVersion": record["eventVersion"],
        "eventSource": "aws:dynamodb",
        "awsRegion": region,
        "dynamodb": {
            **change,
            "ApproximateCreationDateTime": _jsonable(change["ApproximateCreationDateTime"]),
            **{name: _item(change[name]) for name in ITEMS if name in change},
        },
        "eventSourceARN": source_arn,
    }
    identity = record.get("userIdentity")
    if identity:  # set on a deletion by time to live; the API capitalises the names, the event does not
        event["userIdentity"] = {"type": identity["Type"], "principalId": identity["PrincipalId"]}
    return event


@dataclass(frozen=True)
class StreamRecord:
    """A stream's record with what the rules ask about it; `created_at` in epoch seconds.

    Encoded once: the same bytes tell its size and are delivered, however often that takes.
    """

    event: Record
    sequence_number: str
    created_at: float
    encoded: bytes

    @property
    def size(self) -> int:
        """Bytes in an invocation."""
        return bytes_taken(self.encoded)

    @classmethod
    def of(cls, event: Record) -> "StreamRecord":
        """Read the facts out of the event form."""
        change = event["dynamodb"]
        return cls(
            event=event,
            sequence_number=change["SequenceNumber"],
            created_at=change["ApproximateCreationDateTime"],
            encoded=encode(event),
        )


def encode(record: Record) -> bytes:
    """A record as it is sent and measured: JSON in UTF-8."""
    try:
        return _in_unicode(record).encode()
    except UnicodeEncodeError:  # half a surrogate pair, which UTF-8 does not have and JSON can name
        return _in_ascii(record).encode()


def bytes_taken(encoded: bytes) -> int:
    """Bytes that an encoded record takes in an invocation."""
    return len(encoded) + len(SEPARATOR)


def payload_of(encoded: Iterable[bytes]) -> bytes:
    """The event of an invocation, from encoded records."""
    return b'{"Records": [%b]}' % SEPARATOR.join(encoded)


def within_payload(sizes: Iterable[int]) -> int:
    """Count of the leading records that fit one invocation; a single record always goes."""
    total = fitting = 0
    for size in sizes:
        total += size
        if fitting and total > PAYLOAD_BYTES_MOST:
            break
        fitting += 1
    return fitting


def _message_attribute(value: Mapping[str, Any]) -> Record:
    attribute: Record = {"stringListValues": [], "binaryListValues": [], "dataType": value["DataType"]}
    if "StringValue" in value:
        attribute["stringValue"] = value["StringValue"]
    if "BinaryValue" in value:
        attribute["binaryValue"] = _jsonable(value["BinaryValue"])
    return attribute


def _item(item: Record) -> Record:
    """An item of the stream: texts and numbers, nearly all there ever is in one, are JSON as they are."""
    for attribute in item.values():
        if "S" not in attribute and "N" not in attribute:
            return {name: _jsonable(each) for name, each in item.items()}
    return item


def _jsonable(value: Any) -> Any:
    """Dates as epoch seconds and bytes as base64, at any depth."""
    if isinstance(value, (str, int)):
        return value
    if isinstance(value, dict):
        return {key: _jsonable(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_jsonable(each) for each in value]
    if isinstance(value, datetime):
        seconds = value.timestamp()
        return int(seconds) if seconds.is_integer() else seconds
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else value
