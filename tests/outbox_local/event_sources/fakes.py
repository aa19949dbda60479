"""A stream, a queue, a function and a clock in memory, with the behaviour that AWS documents for them."""

import io
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NoReturn

from botocore.exceptions import ClientError

STREAM_ARN = "arn:aws:dynamodb:eu-central-1:000000000000:table/orders/stream/2026-01-01T00:00:00.000"
QUEUE_ARN = "arn:aws:sqs:eu-central-1:000000000000:delivery"
DESTINATION_ARN = "arn:aws:sqs:eu-central-1:000000000000:failures"
FUNCTION_ARN = "arn:aws:lambda:eu-central-1:000000000000:function:relay"
ROLE_ARN = "arn:aws:iam::000000000000:role/relay"
START = 1_800_000_000.0


class FakeClock:
    """Waiting moves the time on at once."""

    def __init__(self) -> None:
        self.time = START
        self.waits: list[float] = []
        self.is_stopped = False

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.time += seconds

    def stopped(self) -> bool:
        return self.is_stopped


class Throttled(Exception):  # noqa: N818 - what happened, no error of the function
    """A function raises it to say that it was never invoked."""


class FakeLambda:
    """Answers with what `function` makes of the event: JSON text, or an exception for a function error."""

    def __init__(self, function: Callable[[list[dict[str, Any]]], Any]) -> None:
        self.function = function
        self.events: list[list[dict[str, Any]]] = []
        self.mappings: list[dict[str, Any]] = []
        self.pollers_built = 0
        self.listings = 0

    def get_function_configuration(self, FunctionName: str) -> dict[str, Any]:  # noqa: N803 - boto3's name
        assert FunctionName == FUNCTION_ARN
        self.pollers_built += 1
        return {"Role": ROLE_ARN}

    def invoke(self, FunctionName: str, InvocationType: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - boto3's names
        assert (FunctionName, InvocationType) == (FUNCTION_ARN, "RequestResponse")
        records = json.loads(Payload)["Records"]
        answer: dict[str, Any] = {
            "ResponseMetadata": {"RequestId": "request-1"},
            "ExecutedVersion": "$LATEST",
        }
        try:
            text = self.function(records)
        except Throttled:
            raise ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke") from None
        except ArithmeticError:
            text = '{"errorType": "ArithmeticError"}'
            answer["FunctionError"] = "Unhandled"
        finally:
            self.events.append(records)
        return {**answer, "Payload": io.BytesIO((text or "null").encode())}

    def get_paginator(self, name: str) -> "FakeLambda":
        assert name == "list_event_source_mappings"
        return self

    def paginate(self) -> list[dict[str, Any]]:
        self.listings += 1
        return [{"EventSourceMappings": list(self.mappings)}]


def change(number: int, *, key: str = "a", age_seconds: float = 0, kind: str = "OUTBOX") -> dict[str, Any]:
    """One insert as boto3 returns it from GetRecords."""
    return {
        "eventID": f"id-{number}",
        "eventName": "INSERT",
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1",
        "dynamodb": {
            "ApproximateCreationDateTime": datetime.fromtimestamp(START - age_seconds, UTC),
            "Keys": {"PK": {"S": key}},
            "NewImage": {"PK": {"S": key}, "kind": {"S": kind}},
            "SequenceNumber": str(number),
            "SizeBytes": 10,
            "StreamViewType": "NEW_IMAGE",
        },
    }


class ExpiredIteratorException(Exception):  # noqa: N818 - boto3's name
    """As on AWS."""


class TrimmedDataAccessException(Exception):  # noqa: N818 - boto3's name
    """As on AWS."""


@dataclass
class FakeShard:
    records: list[dict[str, Any]] = field(default_factory=list)
    parent: str | None = None
    closed: bool = False
    trimmed: int = 0  # records that are gone from its beginning
    is_broken: bool = False


class FakeStreams:
    """Shards by id; an iterator is a shard and an index."""

    class exceptions:  # noqa: N801 - boto3's name
        ExpiredIteratorException = ExpiredIteratorException
        TrimmedDataAccessException = TrimmedDataAccessException

    def __init__(self, *records: dict[str, Any]) -> None:
        self.shards = {"shard-1": FakeShard(list(records))}
        self.expired: set[str] = set()
        self.reads = 0

    def list_streams(self, TableName: str) -> dict[str, Any]:  # noqa: N803 - boto3's name
        return {"Streams": [{"StreamArn": STREAM_ARN, "TableName": TableName}]}

    def describe_stream(self, StreamArn: str, ExclusiveStartShardId: str | None = None) -> dict[str, Any]:  # noqa: N803 - boto3's names
        """One shard a page."""
        ids = list(self.shards)
        index = ids.index(ExclusiveStartShardId) + 1 if ExclusiveStartShardId else 0
        shard: dict[str, Any] = {"ShardId": ids[index]}
        if parent := self.shards[ids[index]].parent:
            shard["ParentShardId"] = parent
        more = {"LastEvaluatedShardId": ids[index]} if index + 1 < len(ids) else {}
        return {"StreamDescription": {"Shards": [shard], **more}}

    def get_shard_iterator(
        self,
        StreamArn: str,  # noqa: N803 - boto3's names, here and below
        ShardId: str,  # noqa: N803
        ShardIteratorType: str,  # noqa: N803
        SequenceNumber: str | None = None,  # noqa: N803
    ) -> dict[str, Any]:
        assert StreamArn == STREAM_ARN
        shard = self.shards[ShardId]
        numbers = [record["dynamodb"]["SequenceNumber"] for record in shard.records]
        if ShardIteratorType in ("TRIM_HORIZON", "LATEST"):
            index = shard.trimmed if ShardIteratorType == "TRIM_HORIZON" else len(numbers)
        else:
            assert SequenceNumber is not None
            index = numbers.index(SequenceNumber) + (ShardIteratorType == "AFTER_SEQUENCE_NUMBER")
        return {"ShardIterator": f"{ShardId}/{index}"}

    def get_records(self, ShardIterator: str, Limit: int) -> dict[str, Any]:  # noqa: N803 - boto3's names
        self.reads += 1
        if ShardIterator in self.expired:
            self.expired.clear()
            raise ExpiredIteratorException
        shard_id, index = ShardIterator.split("/")
        shard = self.shards[shard_id]
        if shard.is_broken:
            raise ConnectionError(shard_id)
        if int(index) < shard.trimmed:
            raise TrimmedDataAccessException
        page = shard.records[int(index) : int(index) + Limit]
        following = int(index) + len(page)
        if shard.closed and following == len(shard.records):
            return {"Records": page}
        return {"Records": page, "NextShardIterator": f"{shard_id}/{following}"}


@dataclass
class Message:
    id: str
    body: str
    visible_at: float = 0
    receives: int = 0
    handle: str = ""


class FakeQueue:
    """Visibility timeouts and dead letters by the fake clock; a long poll that finds nothing takes its time.

    Without a clock every receive takes a moment of real time, so that pollers in threads do not spin.
    """

    def __init__(
        self,
        clock: FakeClock | None,
        *bodies: str,
        visibility_seconds: int = 60,
        receives_most: int | None = None,
    ) -> None:
        self.pause_seconds = 0 if clock else 0.002
        self.clock = clock or FakeClock()
        self.receives_most = receives_most
        self.dead_letters: list[Message] = []
        self.messages = [Message(f"m{index}", body) for index, body in enumerate(bodies)]
        self.visibility_seconds = visibility_seconds
        self.calls: list[dict[str, Any]] = []
        self.sent: list[dict[str, Any]] = []

    def get_queue_url(self, QueueName: str, QueueOwnerAWSAccountId: str) -> dict[str, Any]:  # noqa: N803 - boto3's names
        return {"QueueUrl": f"http://queues/{QueueOwnerAWSAccountId}/{QueueName}"}

    def get_queue_attributes(self, **_: Any) -> dict[str, Any]:
        return {"Attributes": {"VisibilityTimeout": str(self.visibility_seconds)}}

    def receive_message(self, **call: Any) -> dict[str, Any]:
        assert 1 <= call["MaxNumberOfMessages"] <= 10
        time.sleep(self.pause_seconds)
        self.calls.append(call)
        self._move_dead_letters()
        visible = [message for message in self.messages if message.visible_at <= self.clock.time]
        taken = visible[: call["MaxNumberOfMessages"]]
        if not taken:
            self.clock.time += call["WaitTimeSeconds"]
            return {}
        for message in taken:
            message.visible_at = self.clock.time + self.visibility_seconds
            message.receives += 1
            message.handle = f"handle-{message.id}-{message.receives}"
        return {"Messages": [self._received(message) for message in taken]}

    def delete_message_batch(self, QueueUrl: str, Entries: list[dict[str, str]]) -> dict[str, Any]:  # noqa: N803 - boto3's names
        assert 1 <= len(Entries) <= 10
        handles = {entry["ReceiptHandle"] for entry in Entries}
        self.messages = [message for message in self.messages if message.handle not in handles]
        return {"Successful": Entries}

    def change_message_visibility(self, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> None:  # noqa: N803 - boto3's names
        [message] = [each for each in self.messages if each.handle == ReceiptHandle]
        message.visible_at = self.clock.time + VisibilityTimeout

    def send_message(self, **call: Any) -> None:
        self.sent.append(call)

    def _move_dead_letters(self) -> None:
        """A message that was received as often as it may be goes there at its next receive."""
        for message in [each for each in self.messages if each.visible_at <= self.clock.time]:
            if message.receives == self.receives_most:
                self.messages.remove(message)
                self.dead_letters.append(message)

    def _received(self, message: Message) -> dict[str, Any]:
        return {
            "MessageId": message.id,
            "ReceiptHandle": message.handle,
            "Body": message.body,
            "MD5OfBody": "md5",
            "Attributes": {"ApproximateReceiveCount": str(message.receives)},
        }


class FakeClients:
    """A MakeClient that remembers which role asked for what."""

    def __init__(self, **clients: Any) -> None:
        self.clients = clients
        self.asked: list[tuple[str, str | None]] = []

    def __call__(self, service: str, role_arn: str | None) -> Any:
        self.asked.append((service, role_arn))
        return self.clients["lambda_" if service == "lambda" else service]


def denied(*_: Any, **__: Any) -> NoReturn:
    """Any call, by a role that has no right to it."""
    raise ClientError({"Error": {"Code": "AccessDenied"}}, "Any")


def reported(*identifiers: str) -> str:
    """A well-formed answer that names failures."""
    return json.dumps({"batchItemFailures": [{"itemIdentifier": each} for each in identifiers]})
