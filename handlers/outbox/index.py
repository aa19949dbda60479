"""Outbox rows by the minute in which they were stored, from the sparse index of the source table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from outbox.markers import KEYS_A_CALL
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
) -> list[Iterator[Page]]:
    """Every row of these minutes, both included: the pages of each shard, which may be read side by side.

    The index follows the table within a second or so, which is why a row is read some minutes after it
    was stored. https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
    """
    minutes = {":first": {"S": first_minute}, ":last": {"S": last_minute}}
    return [_pages(client, table, index, {":shard": {"S": shard}, **minutes}) for shard in INDEX_SHARDS]


def _pages(client: DynamoDBClient, table: str, index: str, values: dict[str, Any]) -> Iterator[Page]:
    start: dict[str, Any] = {}
    while True:
        answer = client.query(
            TableName=table,
            IndexName=index,
            KeyConditionExpression="#shard = :shard AND #minute BETWEEN :first AND :last",
            ExpressionAttributeNames={"#shard": INDEX_SHARD, "#minute": STORED_MINUTE},
            ExpressionAttributeValues=values,
            # What one call for markers asks for: a reader whose time is short stops between two pages.
            Limit=KEYS_A_CALL,
            ReturnConsumedCapacity="TOTAL",
            **start,
        )
        yield Page(answer["Items"], answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
