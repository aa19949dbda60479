"""Reconciliation of a system that stands still, moves, or dies, on the simulated AWS; and what it costs."""

import tracemalloc
from typing import Any

import pytest

import orders
from outbox.canonical import canonical_json, digest
from outbox.items import inbox_marker, outbox_row
from outbox.wire import to_wire
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals
from tests.simulation.moving import HOUR_SECONDS, Moving, watched
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.sqs import Sqs

EVENTS = 1000


def test_relay_off_for_26_hours_is_healed_and_counts_each_order_once() -> None:
    world = Moving()
    world.place(3)
    world.system.clock.wait(26 * HOUR_SECONDS)
    world.drain(world.relay.step)  # enabled again: the stream has trimmed the records

    found = reconcile(world.system.stack(), send=True)

    assert (found.rows, found.lost.count, found.sent) == (3, 3, 3)
    world.drain(world.consumer.step)
    world.drain(world.relay.step)
    again = reconcile(world.system.stack(), send=True)
    assert (again.applied, again.sent, world.totals()) == (3, 0, Totals(3, 3))
    world.close()


def test_reconcile_of_a_moving_system_counts_each_order_once() -> None:
    world = Moving()
    world.place(50)

    def move(_operation: str) -> None:
        world.place(1)
        world.relay.step()
        world.consumer.step()

    found = reconcile(watched(world.system.stack(), move), send=True, segments=2)

    assert found.rows >= 50
    world.drain(world.relay.step)
    world.drain(world.consumer.step)
    assert world.totals() == Totals(world.placed, world.placed)
    assert not world.system.dead_letters.messages
    world.close()


class KilledError(BaseException):
    """Ends the run where it is."""


def test_reconcile_killed_at_every_call_and_run_again_loses_and_doubles_nothing() -> None:
    finished, kill_at = False, 0
    while not finished:
        kill_at += 1
        world = Moving()
        world.place(25)
        calls = 0

        def kill(_operation: str) -> None:
            nonlocal calls
            calls += 1
            if calls == kill_at:  # noqa: B023 - called in this round alone
                raise KilledError

        try:
            reconcile(watched(world.system.stack(), kill), send=True, segments=1)
            finished = True
        except KilledError:
            world.drain(world.consumer.step)
            reconcile(world.system.stack(), send=True, segments=1)
        world.drain(world.consumer.step)
        world.drain(world.relay.step)
        world.drain(world.consumer.step)

        assert world.totals() == Totals(25, 25), f"killed at call {kill_at}"
        world.close()
    assert kill_at > 5


def test_reconcile_run_twice_at_once_sends_twice_and_counts_once() -> None:
    world = Moving()
    world.place(10)
    other: list[int] = []

    def run_the_other(operation: str) -> None:
        if operation == "send_message_batch" and not other:
            other.append(reconcile(world.system.stack(), send=True, segments=1).sent)

    found = reconcile(watched(world.system.stack(), run_the_other), send=True, segments=1)

    world.drain(world.consumer.step)
    assert (found.sent, other, world.totals()) == (10, [10], Totals(10, 10))
    world.close()


def applied_stack(events: int) -> Stack:
    """A stack with so many events that are all applied, in the walkthrough's items."""
    source, projection = Table("source"), Table("projection")
    for number in range(events):
        order = orders.Order(f"order-{number}", 1000)
        event = orders.event_of(order)
        source.store(to_wire(orders.state_of(order)))
        source.store(to_wire(outbox_row(event.event_id, event.body)))
        content = {"event_id": event.event_id, "type": "OrderCreated", **order._asdict()}
        assert canonical_json(content) == event.body
        projection.store(to_wire(inbox_marker(event.event_id, digest(content))))
    outputs = {"source_table_name": "source", "projection_table_name": "projection", "queue_url": "queue"}
    services: dict[str, Any] = {"dynamodb": DynamoDB([source, projection]), "sqs": Sqs([])}
    return Stack("simulated", outputs, services.__getitem__)


def test_reconcile_costs_half_a_unit_for_each_marker_and_the_scan_of_the_source_table() -> None:
    found = reconcile(applied_stack(EVENTS), segments=1)

    # A row has 140 bytes and its order 155, more or less: 295 kB, which are 73 times 4 kB, for half a unit each.
    assert (found.applied, found.read_units) == (EVENTS, EVENTS * 0.5 + 36.5)
    assert found.read_units_per_event <= 0.6


def test_reconcile_of_events_without_markers_costs_one_more_strong_read_each() -> None:
    world = Moving()
    world.place(10)

    found = reconcile(world.system.stack(), segments=1)

    assert found.read_units == 10 * 0.5 + 10 * 1 + 0.5  # the markers twice, and one page of the scan
    world.close()


@pytest.mark.thorough
def test_reconcile_needs_no_more_memory_for_ten_times_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "outbox_cli.reconcile.findings.NAMES_MOST", 2_000
    )  # as many are named of a few rows as of many

    def peak(pages: int) -> int:
        stack = Stack("endless", {"queue_url": "q"} | dict.fromkeys(TABLES, "t"), lambda _: Pages(pages))
        tracemalloc.start()
        found = reconcile(stack, send=True, segments=1)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert found.lost.count == found.sent == pages * Pages.ROWS
        return most

    small, large = peak(30), peak(300)

    assert large < small * 1.2


TABLES = ("source_table_name", "projection_table_name")


class Pages:
    """Tables and a queue that answer with rows made on the way: none of them has a marker."""

    ROWS = 100

    def __init__(self, pages: int) -> None:
        self._pages = pages

    def scan(self, **request: Any) -> dict[str, Any]:
        page = request.get("ExclusiveStartKey", 0)
        rows = [
            {
                "PK": {"S": f"OUTBOX#{page}-{each}"},
                "SK": {"S": "EVENT"},
                "body": {"S": f"body of {page}-{each}"},
            }
            for each in range(self.ROWS)
        ]
        more = {"LastEvaluatedKey": page + 1} if page + 1 < self._pages else {}
        return {"Items": rows, **more}

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        return {"Responses": {}}

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}
