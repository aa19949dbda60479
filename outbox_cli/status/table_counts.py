"""Counts what a table holds: exactly where that is cheap or asked for, else by DynamoDB's own estimate."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from outbox_cli.stack.deployed import Stack

# A page is up to 1 MB, so these cost at most 1,024 read units, a hundredth of a cent.
# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
PAGES_COUNTED_UNASKED = 4
NO_KIND = "without kind"


@dataclass(frozen=True)
class TableCount:
    """How many items a table has."""

    items: int
    by_kind: dict[str, int] | None
    """By the items' attribute `kind`; None where the items were not counted one by one."""
    exact: bool
    """Whether they were; otherwise the number is DynamoDB's, which it brings up to date about every six hours."""


def count_items(
    stack: Stack,
    table_name: str,
    *,
    most_pages: int | None = PAGES_COUNTED_UNASKED,
    on_progress: Callable[[int], None] = lambda _: None,
) -> TableCount:
    """Counts the items of a table with strongly consistent reads, unless it has more pages than wanted.

    Args:
        stack: where the table is.
        table_name: the table's name.
        most_pages: how many pages of 1 MB to read before it takes the estimate instead; None for any number.
        on_progress: told how many items have been counted.
    """
    kinds: Counter[str] = Counter()
    pages = (
        stack.clients("dynamodb")
        .get_paginator("scan")
        .paginate(
            TableName=table_name,
            ConsistentRead=True,
            ProjectionExpression="#kind",
            ExpressionAttributeNames={"#kind": "kind"},
        )
    )
    for number, page in enumerate(pages, start=1):
        kinds.update(item.get("kind", {}).get("S", NO_KIND) for item in page["Items"])
        on_progress(kinds.total())
        if number == most_pages and "LastEvaluatedKey" in page:
            return _estimate(stack, table_name)
    return TableCount(kinds.total(), dict(sorted(kinds.items())), exact=True)


def _estimate(stack: Stack, table_name: str) -> TableCount:
    """The count that DynamoDB keeps.

    https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TableDescription.html
    """
    table = stack.clients("dynamodb").describe_table(TableName=table_name)["Table"]
    return TableCount(table["ItemCount"], None, exact=False)
