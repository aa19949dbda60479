"""Outbox rows by the minute in which they were stored, from the sparse index of the source table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from outbox.reconcile import WireRow
from outbox.rows import INDEX_SHARD, INDEX_SHARDS, STORED_MINUTE

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient


class Page(NamedTuple):
    """Some rows, and the read units that they cost."""

    rows: list[WireRow]
    read_units: float


def stored_between(
    client: DynamoDBClient, table: str, index: str, first_minute: str, last_minute: str
) -> Iterator[Page]:
    """Every row of these minutes, both included, shard by shard and page by page.

    The index follows the table within a second or so, which is why a row is looked for some minutes after it
    was stored. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
    """
    for shard in INDEX_SHARDS:
        start: dict[str, Any] = {}
        while True:
            answer = client.query(
                TableName=table,
                IndexName=index,
                KeyConditionExpression="#shard = :shard AND #minute BETWEEN :first AND :last",
                ExpressionAttributeNames={"#shard": INDEX_SHARD, "#minute": STORED_MINUTE},
                ExpressionAttributeValues={
                    ":shard": {"S": shard},
                    ":first": {"S": first_minute},
                    ":last": {"S": last_minute},
                },
                ReturnConsumedCapacity="TOTAL",
                **start,
            )
            yield Page(answer["Items"], answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
