"""Invariants after every step of every schedule, whatever went wrong, and those at the end."""

import json
from functools import cache
from typing import Any

import orders
from outbox.canonical import digest
from tests.simulation.world import World

SALES, TOTAL = "SALES", "TOTAL"
UNKNOWN = ("NotStoredError", "CallRefusedError")
"""Answers to a command that may or may not be stored."""


def check(world: World) -> None:
    """After each step: nothing is lost, counted twice, mixed up or hidden.

    Raises:
        AssertionError: Something is; says what.
    """
    amounts = _stored_amounts(world)
    rows, markers = world.rows(), world.markers()
    genuine = {event_id: row for event_id, row in rows.items() if not event_id.startswith("poison-")}
    assert amounts.keys() == genuine.keys(), (
        "an order is stored without its event, or an event without its order"
    )
    for event_id, row in genuine.items():
        assert _content(row["body"]["S"])["amount_cents"] == amounts[event_id], (
            f"{event_id} is stored otherwise"
        )
    for event_id, stored in markers.items():
        assert event_id in amounts, f"{event_id} was applied and never accepted"
        assert stored == _digest(genuine[event_id]["body"]["S"]), (
            f"conflicting content of {event_id} was applied"
        )
    counted = totals(world)
    assert counted == (len(markers), sum(amounts[event_id] for event_id in markers)), (
        f"totals are {counted} with markers of {sorted(markers)}"
    )
    _check_answers(world, amounts)
    _check_acknowledged(world, markers)
    assert not world.parked & genuine.keys(), f"sendable events were parked: {world.parked & genuine.keys()}"
    assert not world.calls_out_of_order, f"overtaken by a later event: {world.calls_out_of_order}"
    lost = (
        set(rows) - set(markers) - _in_flight(world) - world.parked - _in_stream(world) - _known_gone(world)
    )
    assert not lost, (
        f"nobody knows of {sorted(lost)}: not applied, in flight, dead-lettered, parked or abandoned"
    )


def check_end(world: World) -> None:
    """When the faults have ended and the runbook was followed: every order counts exactly once.

    Raises:
        AssertionError: Something was not recovered; says what.
    """
    world.resend_lost()
    world.redrive()
    world.resend_lost()
    found = world.reconcile()
    world.resend_lost()
    check(world)
    genuine = _stored_amounts(world).keys()
    poison = world.rows().keys() - genuine
    assert found.rows == len(world.rows()), f"reconciliation saw {found.rows} rows of {len(world.rows())}"
    assert found.parked.reasons.keys() == poison, (
        f"reconciliation parks {found.parked.reasons}, unsendable are {poison}"
    )
    assert found.lost.count == found.sent, f"reconciliation left {found.unsent.reasons} unsent"
    assert world.markers().keys() == genuine, f"never applied: {genuine - world.markers().keys()}"
    assert not world.system.queue.messages, "messages are left in the delivery queue"
    bodies = {message.body for message in world.system.dead_letters.messages.values()}
    assert not bodies & {row.get("body", {}).get("S") for row in world.rows().values()}, (
        "dead-letter messages are left"
    )


def _stored_amounts(world: World) -> dict[str, int]:
    items = world.system.source.items.values()
    return {
        item["event_id"]["S"]: int(item["amount_cents"]["N"])
        for item in items
        if item["kind"]["S"] == "ORDER"
    }


def totals(world: World) -> tuple[int, int]:
    """Of every shard that there is."""
    items = world.system.projection.items.items()
    shards = [item for (pk, sk), item in items if pk == SALES and sk.startswith(TOTAL)]
    count, cents = (
        sum(int(shard[name]["N"]) for shard in shards) for name in ("order_count", "revenue_cents")
    )
    return count, cents


def _check_answers(world: World, amounts: dict[str, int]) -> None:
    for command, answer in world.answers:
        stored = amounts.get(orders.event_id_of(command["order_id"]))
        if "result" in answer:
            assert stored == command["amount_cents"], f"{command} was answered {answer['result']}"
        elif answer.get("errorType") == "ConflictingRequest":
            assert stored not in (None, command["amount_cents"]), f"{command} was refused as conflicting"
        elif "errorType" in answer:
            # Nobody deletes an order or a row here: no other answer is final, and none is the SDK's own.
            assert answer["errorType"] in UNKNOWN, f"{command} was answered {answer}"
    world.answers.clear()


def _check_acknowledged(world: World, markers: dict[str, str]) -> None:
    for message in world.acknowledged:
        try:
            content = _content(message.body)
            applied = markers.get(content["event_id"]) == _digest(message.body)
        except (ValueError, RecursionError, TypeError, KeyError):
            applied = False
        assert applied, f"a message was deleted whose event is not stored: {message.body[:80]}"
    world.acknowledged.clear()


def _in_flight(world: World) -> set[str]:
    queues = (world.system.queue, world.system.dead_letters)
    bodies = {message.body for queue in queues for message in queue.messages.values()}
    return {event_id for event_id, row in world.rows().items() if row.get("body", {}).get("S") in bodies}


def _in_stream(world: World) -> set[str]:
    """Events the relay has still to read, by what it would remember if it were started anew."""
    waiting = set()
    for record in _outbox_records(world):
        position = world.positions.get(world.system.stream.shard_id_of(record["dynamodb"]["Keys"]))
        number = int(record["dynamodb"]["SequenceNumber"])
        if position is None or position.sequence_number is None:
            is_ahead = True
        elif position.iterator_type == "AT_SEQUENCE_NUMBER":
            is_ahead = number >= int(position.sequence_number)
        else:
            is_ahead = number > int(position.sequence_number)
        if is_ahead:
            waiting.add(record["dynamodb"]["NewImage"]["event_id"]["S"])
    return waiting


def _known_gone(world: World) -> set[str]:
    """Events whose end was announced: discarded with a metric, trimmed by the stream, or expired by a queue."""
    records = _outbox_records(world)
    kept = {record["dynamodb"]["NewImage"]["event_id"]["S"] for record in records}
    discarded = {
        record["dynamodb"]["NewImage"]["event_id"]["S"]
        for record in records
        if record["dynamodb"]["SequenceNumber"] in world.discarded
    }
    queues = (world.system.queue, world.system.dead_letters)
    expired = {message.body for queue in queues for message in queue.expired}
    rows = world.rows()
    return (
        discarded
        | (rows.keys() - kept)
        | {event_id for event_id, row in rows.items() if row.get("body", {}).get("S") in expired}
    )


def _outbox_records(world: World) -> list[dict[str, Any]]:
    return [
        record
        for record in world.system.stream.records()
        if record["eventName"] == "INSERT" and record["dynamodb"]["NewImage"]["kind"]["S"] == "OUTBOX"
    ]


@cache
def _content(body: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(body)
    return content


@cache
def _digest(body: str) -> str:
    return digest(_content(body))
