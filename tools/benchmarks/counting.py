"""Counts what a client asks of AWS: calls by operation, and the capacity units that DynamoDB consumes for them."""

from collections import Counter
from typing import Any

WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem")
READS = ("GetItem", "Query", "Scan")

# The answer of a refused write does not say what it consumed, which is as much as it would have written:
# 1 unit for an item of up to 1 KB, as all items here are, and 2 in a transaction.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
REFUSED_WRITE_UNITS = {"ConditionalCheckFailedException": 1, "TransactionCanceledException": 2}


class Meter:
    """Watches clients; the figures of all of them add up."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.write_units = 0.0
        self.read_units = 0.0

    def watch(self, client: Any) -> None:
        """Counts everything that this client does from now on."""
        events = client.meta.events
        service = client.meta.service_model.service_name
        events.register(f"before-call.{service}", self._count)
        for operation in (*WRITES, *READS):
            events.register(f"provide-client-params.{service}.{operation}", _ask_for_capacity)
        for operation in WRITES:
            events.register(f"after-call.{service}.{operation}", self._add_write_units)
        for operation in READS:
            events.register(f"after-call.{service}.{operation}", self._add_read_units)

    def reset(self) -> None:
        """Begins again from nothing."""
        self.calls.clear()
        self.write_units = self.read_units = 0.0

    def _count(self, model: Any, **_: Any) -> None:
        self.calls[model.name] += 1

    def _add_write_units(self, parsed: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        refused = REFUSED_WRITE_UNITS.get(parsed.get("Error", {}).get("Code", ""), 0)
        self.write_units += refused * context["written_items"] if refused else _consumed(parsed)

    def _add_read_units(self, parsed: dict[str, Any], **_: Any) -> None:
        self.read_units += _consumed(parsed)


def _ask_for_capacity(params: dict[str, Any], context: dict[str, Any], **_: Any) -> dict[str, Any]:
    context["written_items"] = len(params.get("TransactItems", [params]))
    return params | {"ReturnConsumedCapacity": "TOTAL"}


def _consumed(parsed: dict[str, Any]) -> float:
    """A transaction's answer has one entry a table, every other call's a single one."""
    consumed = parsed.get("ConsumedCapacity") or []
    entries = consumed if isinstance(consumed, list) else [consumed]
    return float(sum(entry["CapacityUnits"] for entry in entries))
