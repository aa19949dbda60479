"""DynamoDB's tables: transactions with conditions and old items, puts, reads and scans.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

from tools.simulation.errors import client_error, transaction_cancelled
from tools.simulation.reads import Item, Key, Reads, key_of
from tools.simulation.streams import Stream

ACTIONS_MOST = 100
PAGE_ITEMS = 100  # DynamoDB's pages end at 1 MB; smaller ones show that every page is read

_NEW_ITEM = "attribute_not_exists(PK)"
_KEY_BEGINS = "PK = :pk AND begins_with(SK, :sk)"
_NO_REASON: dict[str, Any] = {"Code": "None"}
_UPDATE = re.compile(r"(?:SET (?P<set>.+?))? ?(?:ADD (?P<add>.+))?")


class Table:
    """Items in wire form by PK and SK; a stored item is replaced and never changed in place."""

    def __init__(self, name: str, stream: Stream | None = None) -> None:
        self.name = name
        self.stream = stream
        self.items: dict[Key, Item] = {}

    def store(self, item: Item) -> None:
        """Put one item; the stream learns of it only if it differs from the one in its place."""
        key = key_of(item)
        old = self.items.get(key)
        self.items[key] = item
        if self.stream and item != old:
            self.stream.append("MODIFY" if old else "INSERT", {"PK": item["PK"], "SK": item["SK"]}, item)


Write = tuple[Table, str, Item, Item | None]
"""Where, Put or Update, the action, and the item in its place."""


class DynamoDB(Reads):
    """The client of all tables."""

    def __init__(self, tables: Iterable[Table]) -> None:
        super().__init__()
        self._tables = {table.name: table for table in tables}

    def transact_write_items(
        self, *, turned_down: Sequence[str | None] = (), **request: Any
    ) -> dict[str, Any]:
        """Puts and updates, all or none; only the conditions and expressions the handlers use are known.

        `turned_down` has the code of each action whose condition is not looked at, None for the others.
        """
        writes: dict[tuple[str, Key], Write] = {}
        reasons: list[dict[str, Any]] = []
        for named_action, code in zip_longest(request["TransactItems"], turned_down):
            [(kind, action)] = named_action.items()
            table, key = self._table(action["TableName"]), key_of(action.get("Item") or action["Key"])
            old = table.items.get(key)
            writes[table.name, key] = (table, kind, action, old)
            reasons.append({"Code": code} if code else _reason(action, old))
        if not 1 <= len(reasons) <= ACTIONS_MOST:
            raise _invalid(f"a transaction has 1 to {ACTIONS_MOST} actions, not {len(reasons)}")
        if len(writes) < len(reasons):
            raise _invalid("Transaction request cannot include multiple operations on one item")
        if any(reason is not _NO_REASON for reason in reasons):
            raise transaction_cancelled(reasons)
        stored = [
            (table, action["Item"] if kind == "Put" else _updated(action, old))
            for table, kind, action, old in writes.values()
        ]
        for table, item in stored:
            table.store(item)
        return {}

    def put_item(self, **request: Any) -> dict[str, Any]:
        """Put one item without a condition."""
        self._table(request["TableName"]).store(request["Item"])
        return {}

    def get_item(self, **request: Any) -> dict[str, Any]:
        """Read one item."""
        item = self._table(request["TableName"]).items.get(key_of(request["Key"]))
        return {} if item is None else {"Item": item}

    def get_paginator(self, operation: str) -> "DynamoDB":
        """The paginator of `scan`, and of `query` by a partition key and the beginning of a sort key."""
        if operation not in ("scan", "query"):
            raise NotImplementedError(f"the simulated DynamoDB pages through scan and query, not {operation}")
        return self

    def paginate(self, **request: Any) -> Iterator[dict[str, Any]]:
        """Every item that is asked for, page by page."""
        items = list(self._table(request["TableName"]).items.values())
        if condition := request.get("KeyConditionExpression"):
            if condition != _KEY_BEGINS:
                raise NotImplementedError(f"the simulated DynamoDB knows {_KEY_BEGINS}, not {condition}")
            values = request["ExpressionAttributeValues"]
            partition, beginning = values[":pk"]["S"], values[":sk"]["S"]
            items = [
                item
                for item in items
                if item["PK"]["S"] == partition and item["SK"]["S"].startswith(beginning)
            ]
        for start in range(0, max(len(items), 1), PAGE_ITEMS):
            yield {"Items": items[start : start + PAGE_ITEMS]}

    def _items_of(self, table_name: str) -> dict[Key, Item]:
        return self._table(table_name).items

    def _table(self, name: str) -> Table:
        if name not in self._tables:
            raise client_error("DynamoDB", "ResourceNotFoundException", f"there is no table {name!r}")
        return self._tables[name]


def _reason(action: Item, old: Item | None) -> dict[str, Any]:
    condition = action.get("ConditionExpression")
    if condition not in (None, _NEW_ITEM):
        raise NotImplementedError(f"the simulated DynamoDB knows the condition {_NEW_ITEM}, not {condition}")
    if condition is None or old is None:
        return _NO_REASON
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
