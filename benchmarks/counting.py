"""Counts what a client asks of AWS: calls by operation, and the capacity units that DynamoDB says it consumed."""

from collections import Counter
from typing import Any

WRITES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem")
READS = ("GetItem", "Query", "Scan")


class Meter:
    """Watches clients; the figures of all of them add up."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()
        self.write_units = 0.0
        self.read_units = 0.0

    def watch(self, client: Any) -> Any:
        """Counts everything that this client does from now on, and returns the client."""
        events = client.meta.events
        service = client.meta.service_model.service_name
        events.register(f"before-call.{service}", self._count)
        for operation in (*WRITES, *READS):
            events.register(f"provide-client-params.{service}.{operation}", _ask_for_capacity)
        for operation in WRITES:
            events.register(f"after-call.{service}.{operation}", self._add_write_units)
        for operation in READS:
            events.register(f"after-call.{service}.{operation}", self._add_read_units)
        return client

    def of_service(self, service: str) -> int:
        """Calls of one service."""
        return sum(count for name, count in self.calls.items() if name.startswith(f"{service}:"))

    def _count(self, model: Any, **_: Any) -> None:
        self.calls[f"{model.service_model.service_name}:{model.name}"] += 1

    def _add_write_units(self, parsed: dict[str, Any], **_: Any) -> None:
        self.write_units += _units(parsed)

    def _add_read_units(self, parsed: dict[str, Any], **_: Any) -> None:
        self.read_units += _units(parsed)


def _ask_for_capacity(params: dict[str, Any], **_: Any) -> dict[str, Any]:
    return params | {"ReturnConsumedCapacity": "TOTAL"}


def _units(parsed: dict[str, Any]) -> float:
    """A transaction's answer has one entry a table, every other call's a single one."""
    consumed = parsed.get("ConsumedCapacity") or []
    entries = consumed if isinstance(consumed, list) else [consumed]
    return float(sum(entry["CapacityUnits"] for entry in entries))
