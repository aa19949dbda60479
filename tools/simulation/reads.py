"""DynamoDB's reads in pages and batches, with the read units that each costs.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
"""

import math
import zlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tools.simulation.errors import client_error

Key = tuple[str, str]
Item = dict[str, Any]

PAGE_BYTES = 1_048_576  # of what is read, before the filter
KEYS_MOST = 100
UNIT_BYTES = 4096
EVENTUALLY_CONSISTENT = 0.5

_FILTER = "begins_with(#key, :prefix)"
_KEY_CONDITION = "#shard = :shard AND #minute BETWEEN :first AND :last"


class Reads:
    """The reading half of the client, which knows where the tables are.

    A scan reads the table as it is when its segment begins: what is stored later may be missed, as on AWS.
    """

    def __init__(self) -> None:
        self._begun: dict[tuple[str, int, int, Key], Iterator[Item]] = {}

    def _items_of(self, table_name: str) -> Mapping[Key, Item]:
        raise NotImplementedError

    def scan(self, **request: Any) -> dict[str, Any]:
        """One page of a table or of a segment of it; the only filter that is known is on the start of PK."""
        table, segment, segments = (
            request["TableName"],
            request.get("Segment", 0),
            request.get("TotalSegments", 1),
        )
        start = request.get("ExclusiveStartKey")
        if start is None:
            mine = [
                item
                for (partition_key, _), item in self._items_of(table).items()
                if zlib.crc32(partition_key.encode()) % segments == segment
            ]
            items = iter(mine)
        else:
            items = self._begun.pop((table, segment, segments, key_of(start)))
        page, read_bytes = _page(items)
        more = {}
        if read_bytes >= PAGE_BYTES:
            last = {name: page[-1][name] for name in ("PK", "SK")}
            self._begun[table, segment, segments, key_of(last)] = items
            more = {"LastEvaluatedKey": last}
        prefix = _prefix(request)
        kept = [item for item in page if item["PK"]["S"].startswith(prefix)]
        units = _units(read_bytes, consistent=request.get("ConsistentRead", False))
        return {
            "Items": [_projected(item, request) for item in kept],
            "ConsumedCapacity": {"TableName": table, "CapacityUnits": units},
            **more,
        }

    def query(self, **request: Any) -> dict[str, Any]:
        """All items of one shard and some minutes of the index, as one page."""
        if request["KeyConditionExpression"] != _KEY_CONDITION:
            raise NotImplementedError(f"the simulated DynamoDB knows the condition {_KEY_CONDITION}")
        names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
        shard, first, last = (values[name]["S"] for name in (":shard", ":first", ":last"))
        found = [
            item
            for item in self._items_of(request["TableName"]).values()
            if item.get(names["#shard"], {}).get("S") == shard
            and first <= item.get(names["#minute"], {}).get("S", "") <= last
        ]
        units = _units(sum(map(item_bytes, found)), consistent=False)
        return {"Items": found, "ConsumedCapacity": {"CapacityUnits": units}}

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        """Up to a hundred items of each table."""
        responses: dict[str, list[Item]] = {}
        consumed = []
        for table, wanted in request["RequestItems"].items():
            keys = [key_of(key) for key in wanted["Keys"]]
            if not 1 <= len(keys) <= KEYS_MOST or len(set(keys)) < len(keys):
                raise client_error("BatchGetItem", "ValidationException", "1 to 100 different keys")
            items = self._items_of(table)
            found = [items[key] for key in keys if key in items]
            consistent = wanted.get("ConsistentRead", False)
            units = sum(_units(item_bytes(item), consistent=consistent) for item in found)
            units += (len(keys) - len(found)) * _units(0, consistent=consistent)
            responses[table] = [_projected(item, wanted) for item in found]
            consumed.append({"TableName": table, "CapacityUnits": units})
        return {"Responses": responses, "UnprocessedKeys": {}, "ConsumedCapacity": consumed}


def key_of(item: Item) -> Key:
    """The primary key of an item in wire form."""
    return item["PK"]["S"], item["SK"]["S"]


def item_bytes(item: Item) -> int:
    """The size of an item: its names and values, with text as UTF-8; of another value, about its text."""
    return sum(len(name) + _value_bytes(value) for name, value in item.items())


def _value_bytes(value: dict[str, Any]) -> int:
    [content] = value.values()
    text = content if isinstance(content, str) else str(content)
    return len(text) if text.isascii() else len(text.encode())


def _page(items: Iterator[Item]) -> tuple[list[Item], int]:
    """Items until a page is full, and how many bytes they have."""
    page: list[Item] = []
    read_bytes = 0
    for item in items:
        page.append(item)
        read_bytes += item_bytes(item)
        if read_bytes >= PAGE_BYTES:
            break
    return page, read_bytes


def _units(read_bytes: int, *, consistent: bool) -> float:
    """Each started 4 KB is a unit, half of one without consistency; nothing found costs as much as something."""
    units = max(1, math.ceil(read_bytes / UNIT_BYTES))
    return units if consistent else units * EVENTUALLY_CONSISTENT


def _prefix(request: Mapping[str, Any]) -> str:
    if request.get("FilterExpression", _FILTER) != _FILTER:
        raise NotImplementedError(f"the simulated DynamoDB knows the filter {_FILTER}")
    prefix: str = (
        request["ExpressionAttributeValues"][":prefix"]["S"] if "FilterExpression" in request else ""
    )
    return prefix


def _projected(item: Item, request: Mapping[str, Any]) -> Item:
    expression = request.get("ProjectionExpression")
    if expression is None:
        return item
    return {name: item[name] for name in _projection(expression, request) if name in item}


def _projection(expression: str, request: Mapping[str, Any]) -> Iterable[str]:
    names = request["ExpressionAttributeNames"]
    return (names[alias] for alias in expression.split(", "))
