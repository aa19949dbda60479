"""Global secondary indexes of a table, in the provider's words and in DynamoDB's."""

from collections.abc import Iterator
from typing import Any

from outbox_local.resources.base import Properties, without_nones


def indexes_of(inputs: Properties) -> dict[str, dict[str, Any]]:
    """The indexes as DynamoDB takes them, by name."""
    return {
        each["name"]: {
            "IndexName": each["name"],
            "KeySchema": key_schema(each["hashKey"], each.get("rangeKey")),
            "Projection": without_nones(
                {
                    "ProjectionType": each["projectionType"],
                    "NonKeyAttributes": each.get("nonKeyAttributes"),
                }
            ),
        }
        for each in inputs.get("globalSecondaryIndexes") or []
    }


def index_changes(old: Properties, new: Properties) -> Iterator[dict[str, Any]]:
    """What leads from the old indexes to the new ones, one change a call; an index cannot change, so it goes first."""
    before, after = indexes_of(old), indexes_of(new)
    for name, index in before.items():
        if index != after.get(name):
            yield {"Delete": {"IndexName": name}}
    for name, index in after.items():
        if index != before.get(name):
            yield {"Create": index}


def key_schema(hash_key: str, range_key: str | None) -> list[dict[str, str]]:
    """The keys of a table or an index, the partition key first."""
    keys = [("HASH", hash_key), ("RANGE", range_key)]
    return [{"AttributeName": key, "KeyType": kind} for kind, key in keys if key]
