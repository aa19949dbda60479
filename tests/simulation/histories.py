"""Histories of whole deliveries, run by the handlers on any DynamoDB and SQS: simulated, moto's, the emulator's.

A history is a list of acts; what it comes to is every answer on the way and all that is stored in the end.
"""

import contextlib
import io
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

import orders
from outbox.commit import commit
from outbox.consume import consume
from outbox.errors import OutboxError
from outbox.forward import forward
from outbox.retry import Backoff
from outbox_local.event_sources.events import queue_record, stream_record
from tools.soak.system import DEAD_LETTER_QUEUE, DELIVERY_QUEUE, PROJECTION_TABLE, SOURCE_TABLE, System

RECEIVES_MOST = 2
REGION = "eu-central-1"
QUEUE_ARN = "arn:simulated:sqs:nowhere:000000000000:delivery"
KEYS: dict[str, Any] = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")],
    "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}, {"AttributeName": "SK", "KeyType": "RANGE"}],
    "BillingMode": "PAY_PER_REQUEST",
}
ACTS = ("place", "place", "relay", "relay", "consume", "consume", "consume", "send", "poison", "touch")

Act = tuple[str, int, int]
Outcome = dict[str, Any]


@dataclass
class Aws:
    """The clients, and the names they know things by."""

    dynamodb: Any
    streams: Any
    sqs: Any
    source: str
    projection: str
    queue_url: str
    dead_letter_queue_url: str
    stream_arn: str
    read: int = 0
    changes: int = 0


def created(dynamodb: Any, streams: Any, sqs: Any, prefix: str) -> Aws:
    """Tables and queues made by their APIs."""
    source, projection = f"{prefix}-source", f"{prefix}-projection"
    stream = {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    table = dynamodb.create_table(TableName=source, StreamSpecification=stream, **KEYS)["TableDescription"]
    dynamodb.create_table(TableName=projection, **KEYS)
    dead = sqs.create_queue(QueueName=f"{prefix}-dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": RECEIVES_MOST})
    queue = sqs.create_queue(QueueName=f"{prefix}-delivery", Attributes={"RedrivePolicy": policy})["QueueUrl"]
    return Aws(dynamodb, streams, sqs, source, projection, queue, dead, table["LatestStreamArn"])


def simulated(system: System) -> Aws:
    """The simulated AWS."""
    return Aws(
        dynamodb=system.client("dynamodb"),
        streams=system.client("dynamodbstreams"),
        sqs=system.client("sqs"),
        source=SOURCE_TABLE,
        projection=PROJECTION_TABLE,
        queue_url=DELIVERY_QUEUE,
        dead_letter_queue_url=DEAD_LETTER_QUEUE,
        stream_arn=system.stream.arn,
    )


def random_history(seed: int) -> list[Act]:
    """Acts by chance, with two choices each."""
    rng = random.Random(seed)  # noqa: S311 - a history, no secret
    return [(rng.choice(ACTS), rng.randrange(3), rng.randrange(2)) for _ in range(30)]


def outcome_of(aws: Aws, history: list[Act]) -> Outcome:
    """Run a history; the answers in order, and all that is stored in the end."""
    answers = [ACTS_BY_NAME[verb](aws, first, second) for verb, first, second in history]
    return {"answers": answers, **stored(aws)}


def stored(aws: Aws) -> Outcome:
    """All that is stored in the end."""
    return {
        "source": _items(aws, aws.source),
        "projection": _items(aws, aws.projection),
        "queue": sorted(_drain(aws, aws.queue_url)),
        "dead letters": sorted(_drain(aws, aws.dead_letter_queue_url)),
    }


def _place(aws: Aws, order: int, amount: int) -> Any:
    placed = orders.Order("abc"[order], (1000, 2500)[amount])
    try:
        return commit(
            aws.dynamodb,
            table=aws.source,
            state=orders.state_of(placed),
            event=orders.event_of(placed),
            request_fields=orders.REQUEST_FIELDS,
            backoff=BACKOFF,
        )
    except (OutboxError, ClientError) as error:
        return type(error).__name__


def _relay(aws: Aws, batch: int, _: int) -> Any:
    """Read from the beginning and skip what was read before: moto keeps to no Limit and no NextShardIterator."""
    [shard] = aws.streams.describe_stream(StreamArn=aws.stream_arn)["StreamDescription"]["Shards"]
    iterator = aws.streams.get_shard_iterator(
        StreamArn=aws.stream_arn, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )["ShardIterator"]
    page = aws.streams.get_records(ShardIterator=iterator)["Records"][aws.read :][: 1 + 5 * batch]
    aws.read += len(page)
    records = [stream_record(each, source_arn=aws.stream_arn, region=REGION) for each in page]
    seen = [(each["eventName"], each["dynamodb"]["NewImage"]) for each in records]
    answer = forward(
        aws.sqs, queue_urls=[aws.queue_url], records=records, backoff=BACKOFF, function_name="relay"
    )
    return seen, answer


def _consume(aws: Aws, count: int, faulty: int) -> Any:
    messages = _received(aws, aws.queue_url, 1 + count)
    records = [queue_record(each, source_arn=QUEUE_ARN, region=REGION) for each in messages]
    answer = consume(
        aws.dynamodb,
        table=aws.projection,
        records=records,
        parse=orders.sales().parse,
        backoff=BACKOFF,
        fault_event_id=orders.event_id_of("a") if faulty else None,
    )
    failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
    outcomes = []
    for message in messages:
        handle = message["ReceiptHandle"]
        if message["MessageId"] in failed:
            aws.sqs.change_message_visibility(
                QueueUrl=aws.queue_url, ReceiptHandle=handle, VisibilityTimeout=0
            )
        else:
            entries = [{"Id": "1", "ReceiptHandle": handle}]
            aws.sqs.delete_message_batch(QueueUrl=aws.queue_url, Entries=entries)
        receives = message["Attributes"]["ApproximateReceiveCount"]
        outcomes.append((message["Body"], receives, message["MessageId"] in failed))
    return outcomes


def _send(aws: Aws, order: int, is_garbage: int) -> Any:
    body = "garbage" if is_garbage else orders.event_of(orders.Order("abc"[order], 1000)).body
    aws.sqs.send_message(QueueUrl=aws.queue_url, MessageBody=body)


def _poison(aws: Aws, which: int, _: int) -> Any:
    aws.changes += 1  # moto records a write that changes nothing, which DynamoDB does not
    row = {"PK": {"S": f"OUTBOX#bad-{which}"}, "SK": {"S": "EVENT"}, "kind": {"S": "OUTBOX"}}
    more = {"event_id": {"S": f"bad-{which}"}, "change": {"N": str(aws.changes)}}
    aws.dynamodb.put_item(TableName=aws.source, Item={**row, **more})


def _touch(aws: Aws, order: int, _: int) -> Any:
    key = {"PK": {"S": f"ORDER#{'abc'[order]}"}, "SK": {"S": "STATE"}}
    item = aws.dynamodb.get_item(TableName=aws.source, Key=key, ConsistentRead=True).get("Item")
    if item:
        aws.changes += 1
        status = {"S": f"CHANGED-{aws.changes}"}
        aws.dynamodb.put_item(TableName=aws.source, Item={**item, "status": status})
    return item


ACTS_BY_NAME = {
    "place": _place,
    "relay": _relay,
    "consume": _consume,
    "send": _send,
    "poison": _poison,
    "touch": _touch,
}
BACKOFF = Backoff(lambda: 10.0, sleep=lambda _: None, random=lambda: 0.0)


def _items(aws: Aws, table: str) -> list[Any]:
    pages = aws.dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
    return sorted((item for page in pages for item in page["Items"]), key=lambda item: str(item["PK"]))


def _drain(aws: Aws, queue_url: str) -> Iterator[str]:
    while messages := _received(aws, queue_url, 10):
        yield from (message["Body"] for message in messages)


def _received(aws: Aws, queue_url: str, count: int) -> list[Any]:
    answer = aws.sqs.receive_message(
        QueueUrl=queue_url,
        MaxNumberOfMessages=count,
        WaitTimeSeconds=0,
        MessageSystemAttributeNames=["All"],
    )
    messages: list[Any] = answer.get("Messages", [])
    return messages


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Swallow the lines of the handlers."""
    with contextlib.redirect_stdout(io.StringIO()):
        yield
