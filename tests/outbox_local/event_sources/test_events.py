import json
from datetime import UTC, datetime
from typing import Any

import pytest

from outbox_local.event_sources.events import (
    PAYLOAD_BYTES_MOST,
    bytes_taken,
    encode,
    payload_of,
    queue_record,
    stream_record,
    within_payload,
)
from tests.outbox_local.event_sources.fakes import QUEUE_ARN, START, STREAM_ARN, change


def test_queue_record_has_lambdas_shape() -> None:
    message = {
        "MessageId": "m1",
        "ReceiptHandle": "h1",
        "Body": "text",
        "MD5OfBody": "abc",
        "Attributes": {"ApproximateReceiveCount": "2", "SentTimestamp": "1800000000000"},
        "MessageAttributes": {
            "trace": {"DataType": "String", "StringValue": "t1"},
            "raw": {"DataType": "Binary", "BinaryValue": b"\x00\xff"},
        },
    }

    record = queue_record(message, source_arn=QUEUE_ARN, region="eu-central-1")

    lists: dict[str, list[str]] = {"stringListValues": [], "binaryListValues": []}
    assert json.loads(json.dumps(record)) == {
        "messageId": "m1",
        "receiptHandle": "h1",
        "body": "text",
        "attributes": {"ApproximateReceiveCount": "2", "SentTimestamp": "1800000000000"},
        "messageAttributes": {
            "trace": {"dataType": "String", "stringValue": "t1", **lists},
            "raw": {"dataType": "Binary", "binaryValue": "AP8=", **lists},
        },
        "md5OfBody": "abc",
        "eventSource": "aws:sqs",
        "eventSourceARN": QUEUE_ARN,
        "awsRegion": "eu-central-1",
    }


def test_stream_record_has_lambdas_shape() -> None:
    raw = change(7)
    raw["dynamodb"]["NewImage"] |= {
        "bytes": {"B": b"\x00\xff"},
        "set": {"BS": [b"a"]},
        "deep": {"L": [{"B": b"a"}]},
    }

    record = stream_record(raw, source_arn=STREAM_ARN, region="eu-central-1")

    assert json.loads(json.dumps(record)) == {
        "eventID": "id-7",
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1",
        "dynamodb": {
            "ApproximateCreationDateTime": int(START),
            "Keys": {"PK": {"S": "a"}},
            "NewImage": {
                "PK": {"S": "a"},
                "kind": {"S": "OUTBOX"},
                "bytes": {"B": "AP8="},
                "set": {"BS": ["YQ=="]},
                "deep": {"L": [{"B": "YQ=="}]},
            },
            "SequenceNumber": "7",
            "SizeBytes": 10,
            "StreamViewType": "NEW_IMAGE",
        },
        "eventSourceARN": STREAM_ARN,
    }


def test_stream_record_of_an_expired_item_names_the_service_in_lower_case() -> None:
    raw: dict[str, Any] = {
        **change(7),
        "eventName": "REMOVE",
        "userIdentity": {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"},
    }

    record = stream_record(raw, source_arn=STREAM_ARN, region="eu-central-1")

    assert record["userIdentity"] == {"type": "Service", "principalId": "dynamodb.amazonaws.com"}


def test_stream_record_time_with_a_fraction_stays_exact() -> None:
    raw = change(7)
    raw["dynamodb"]["ApproximateCreationDateTime"] = datetime.fromtimestamp(START + 0.5, UTC)

    record = stream_record(raw, source_arn=STREAM_ARN, region="eu-central-1")

    assert record["dynamodb"]["ApproximateCreationDateTime"] == START + 0.5


@pytest.mark.parametrize(
    ("sizes", "count"), [([PAYLOAD_BYTES_MOST // 2] * 2 + [1], 2), ([PAYLOAD_BYTES_MOST + 1, 1], 1)]
)
def test_within_payload_stops_before_the_limit_or_behind_one_record(sizes: list[int], count: int) -> None:
    assert within_payload(sizes) == count


def test_payload_is_measured_in_the_bytes_that_are_sent() -> None:
    records = [encode({"body": "\u00e9" * 1000}), encode({"body": "e" * 1000})]

    payload = payload_of(records)

    assert json.loads(payload) == {"Records": [{"body": "\u00e9" * 1000}, {"body": "e" * 1000}]}
    assert [bytes_taken(record) for record in records] == [2014, 1014]
    assert len(payload) == sum(map(bytes_taken, records)) + len('{"Records": []}') - len(", ")


def test_encode_half_a_surrogate_pair_arrives_as_it_came() -> None:
    record = {"body": "\ud800 \u00e9"}

    encoded = encode(record)

    assert json.loads(encoded) == record
