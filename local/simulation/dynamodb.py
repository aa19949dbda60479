"""DynamoDB's tables: transactions with conditions and old items, puts, reads and scans.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from local.simulation.errors import client_error, transaction_cancelled
from local.simulation.streams import Stream

ACTIONS_MOST = 100
PAGE_ITEMS = 100  # DynamoDB's pages end at 1 MB; smaller ones show that every page is read

Key = tuple[str, str]
Item = dict[str, Any]

_NEW_ITEM = "attribute_not_exists(PK)"
_UPDATE = re.compile(r"(?:SET (?P<set>.+?))? ?(?:ADD (?P<add>.+))?")


class Table:
    """Items in wire form by PK and SK; a stored item is replaced and never changed in place."""

    def __init__(self, name: str, stream: Stream | None = None) -> None:
        self.name = name
        self.stream = stream
        self.items: dict[Key, Item] = {}

    def store(self, item: Item) -> None:
        """Put one item; the stream learns of it only if it differs from the one in its place."""
        key = _key_of(item)
        old = self.items.get(key)
        self.items[key] = item
        if self.stream and item != old:
            self.stream.append("MODIFY" if old else "INSERT", {"PK": item["PK"], "SK": item["SK"]}, item)


class DynamoDB:
    """The client of all tables."""

    def __init__(self, tables: Iterable[Table]) -> None:
        self._tables = {table.name: table for table in tables}

    def transact_write_items(self, **request: Any) -> dict[str, Any]:
        """Puts and updates, all or none; only the conditions and expressions the handlers use are known."""
        actions = [next(iter(action.items())) for action in request["TransactItems"]]
        targets = [
            (action["TableName"], _key_of(action.get("Item") or action["Key"])) for _, action in actions
        ]
        if not 1 <= len(actions) <= ACTIONS_MOST:
            raise _invalid(f"a transaction has 1 to {ACTIONS_MOST} actions, not {len(actions)}")
        if len(set(targets)) < len(targets):
            raise _invalid("Transaction request cannot include multiple operations on one item")
        old_items = [self._table(name).items.get(key) for name, key in targets]
        reasons = [_reason(action, old) for (_, action), old in zip(actions, old_items, strict=True)]
        if any(reason["Code"] != "None" for reason in reasons):
            raise transaction_cancelled(reasons)
        new_items = [
            action["Item"] if kind == "Put" else _updated(action, old)
            for (kind, action), old in zip(actions, old_items, strict=True)
        ]
        for (name, _), item in zip(targets, new_items, strict=True):
            self._table(name).store(item)
        return {}

    def put_item(self, **request: Any) -> dict[str, Any]:
        """Put one item without a condition."""
        self._table(request["TableName"]).store(request["Item"])
        return {}

    def get_item(self, **request: Any) -> dict[str, Any]:
        """Read one item."""
        item = self._table(request["TableName"]).items.get(_key_of(request["Key"]))
        return {} if item is None else {"Item": item}

    def get_paginator(self, operation: str) -> "DynamoDB":
        """The paginator of `scan`, which is the only one there is."""
        if operation != "scan":
            raise NotImplementedError(f"the simulated DynamoDB pages through scan, not {operation}")
        return self

    def paginate(self, **request: Any) -> Iterator[dict[str, Any]]:
        """Every item of a table, page by page."""
        items = list(self._table(request["TableName"]).items.values())
        for start in range(0, max(len(items), 1), PAGE_ITEMS):
            yield {"Items": items[start : start + PAGE_ITEMS]}

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            raise client_error("DynamoDB", "ResourceNotFoundException", f"there is no table {name!r}")
        return self._tables[name]


def _key_of(item: Item) -> Key:
    return item["PK"]["S"], item["SK"]["S"]


def _reason(action: Item, old: Item | None) -> dict[str, Any]:
    condition = action.get("ConditionExpression")
    if condition not in (None, _NEW_ITEM):
        raise NotImplementedError(f"the simulated DynamoDB knows the condition {_NEW_ITEM}, not {condition}")
    if condition is None or old is None:
        return {"Code": "None"}
    shows_old = action.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
    shown = {"Item": old} if shows_old else {}
    return {"Code": "ConditionalCheckFailed", "Message": "The conditional request failed", **shown}


def _updated(action: Item, old: Item | None) -> Item:
    expression = _UPDATE.fullmatch(action["UpdateExpression"])
    if expression is None:
        raise NotImplementedError(f"the simulated DynamoDB knows SET and ADD: {action['UpdateExpression']}")
    names, values = action["ExpressionAttributeNames"], action["ExpressionAttributeValues"]
    item = {**(old or action["Key"])}
    for assignment in (expression["set"] or "").split(", ") if expression["set"] else []:
        name, value = assignment.split(" = ")
        item[names[name]] = values[value]
    for addition in (expression["add"] or "").split(", ") if expression["add"] else []:
        name, value = addition.split(" ")
        present = item.get(names[name], {"N": "0"})["N"]
        item[names[name]] = {"N": str(int(present) + int(values[value]["N"]))}
    return item


def _invalid(message: str) -> Exception:
    return client_error("TransactWriteItems", "ValidationException", message)
