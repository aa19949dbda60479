"""Where outbox rows are read from: the whole source table in parallel segments, or its index by the minute."""

from collections.abc import Iterator
from typing import Any

from outbox.headers import HEADERS
from outbox.index import Page, stored_between
from outbox.items import EXPIRES_AT, ROW_PREFIX
from outbox.rows import STORED_MINUTE, minute_of
from outbox_cli.errors import OperatorError
from outbox_cli.stack.deployed import Stack

Pages = Iterator[Page]

__all__ = ["Page", "Pages", "every_row", "stored_since"]


def every_row(stack: Stack, segments: int, is_consistent: bool = False) -> list[Pages]:
    """The outbox rows of the whole table; eventually consistent, a row too new to be seen is on its way.

    What is read is paid for, whatever the filter leaves: half a unit for 4 KB of orders and rows, or a whole one.
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Scan.html
    """
    return [_segment(stack, number, segments, is_consistent) for number in range(segments)]


def stored_since(stack: Stack, since: float, until: float) -> list[Pages]:
    """The rows stored between two times (epoch seconds), to the minute.

    Raises:
        OperatorError: the stack's table has no index by the minute.
    """
    index = stack.outputs.get("reconcile_index_name")
    if not index:
        raise OperatorError(
            f"The stack {stack.name!r} has no index of rows by the minute: leave --since out to read the whole "
            "table, or deploy with the setting reconcileIndex for the rows from then on."
        )
    table = stack["source_table_name"]
    return stored_between(stack.clients("dynamodb"), table, str(index), minute_of(since), minute_of(until))


def _segment(stack: Stack, number: int, segments: int, is_consistent: bool) -> Pages:
    dynamodb = stack.clients("dynamodb")
    start: dict[str, Any] = {}
    while True:
        answer = dynamodb.scan(
            TableName=stack["source_table_name"],
            Segment=number,
            TotalSegments=segments,
            ConsistentRead=is_consistent,
            FilterExpression="begins_with(#key, :prefix)",
            ProjectionExpression="#key, #sort, #body, #headers, #minute, #expiry",
            ExpressionAttributeNames={
                "#key": "PK",
                "#sort": "SK",
                "#body": "body",
                "#headers": HEADERS,
                "#minute": STORED_MINUTE,
                "#expiry": EXPIRES_AT,
            },
            ExpressionAttributeValues={":prefix": {"S": ROW_PREFIX}},
            ReturnConsumedCapacity="TOTAL",
            **start,
        )
        yield Page(answer["Items"], answer.get("ConsumedCapacity", {}).get("CapacityUnits", 0.0))
        if "LastEvaluatedKey" not in answer:
            return
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
