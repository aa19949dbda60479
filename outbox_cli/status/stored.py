"""The totals, the items of both tables, and the queues' counters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from outbox.domain import Domain
from outbox.items import Key
from outbox.wire import from_wire
from outbox_cli.domain import walkthrough
from outbox_cli.stack.deployed import Stack


@dataclass(frozen=True)
class Totals:
    """The sales summary; both are 0 before the first event is applied."""

    order_count: int
    revenue_cents: int

    def __sub__(self, earlier: "Totals") -> "Totals":
        """Amounts added since."""
        return Totals(self.order_count - earlier.order_count, self.revenue_cents - earlier.revenue_cents)

    def __str__(self) -> str:
        orders = "1 order" if self.order_count == 1 else f"{self.order_count} orders"
        return f"{orders}, {self.revenue_cents} cents"


@dataclass(frozen=True)
class QueueCounts:
    """Messages of one queue; SQS calls its own counters approximate."""

    available: int
    in_flight: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.available + self.in_flight

    @property
    def empty(self) -> bool:
        """Whether nothing waits and nothing is being processed."""
        return self.available == 0 and self.in_flight == 0


def read_totals(stack: Stack) -> Totals:
    """The sales summary of the walkthrough's stack; of another one, nothing."""
    return Totals(**read_amounts(stack, walkthrough()))


def read_amounts(stack: Stack, domain: Domain | None) -> dict[str, int]:
    """A domain's totals by name, with strongly consistent reads; empty where the domain is not known.

    Every shard that is stored counts, whatever number of shards is configured now: what was added under an earlier
    number counts as well. While events are applied, the shards are not read at one instant; each is exact.
    """
    return {
        name: amount
        for key, names in (domain.totals if domain else {}).items()
        for name, amount in _amounts_of(stack, key, names).items()
    }


def _amounts_of(stack: Stack, key: Key, names: Sequence[str]) -> dict[str, int]:
    pages = (
        stack.clients("dynamodb")
        .get_paginator("query")
        .paginate(
            TableName=stack["projection_table_name"],
            KeyConditionExpression="PK = :pk AND begins_with(SK, :sk)",
            ExpressionAttributeValues={":pk": {"S": key.PK}, ":sk": {"S": key.SK}},
            ConsistentRead=True,
        )
    )
    items = [plain_item(item) for page in pages for item in page["Items"]]
    shards = [item for item in items if item["SK"] == key.SK or item["SK"].startswith(f"{key.SK}#")]
    return {name: sum(_whole(shard.get(name)) for shard in shards) for name in names}


def amounts_text(amounts: Mapping[str, int]) -> str:
    """Totals in words."""
    return ", ".join(f"{name} {amount}" for name, amount in amounts.items())


def _whole(value: object) -> int:
    """A whole number; 0 for what others keep under the same key."""
    return value if type(value) is int else 0


def scan(stack: Stack, table_name: str) -> Iterator[dict[str, Any]]:
    """Every item of a table, page by page, as plain values ordered by attribute name."""
    pages = (
        stack.clients("dynamodb").get_paginator("scan").paginate(TableName=table_name, ConsistentRead=True)
    )
    for page in pages:
        yield from map(plain_item, page["Items"])


def count_messages(stack: Stack, queue_url: str) -> QueueCounts:
    """Reads a queue's counters."""
    names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
    found = stack.clients("sqs").get_queue_attributes(QueueUrl=queue_url, AttributeNames=names)["Attributes"]
    available, in_flight = (int(found[name]) for name in names)
    return QueueCounts(available, in_flight)


def plain_item(item: dict[str, Any]) -> dict[str, Any]:
    """An item in plain values: numbers that are whole become int, so that JSON can hold them."""
    return {name: _plain(value) for name, value in sorted(from_wire(item).items())}


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else str(value)
    return value
