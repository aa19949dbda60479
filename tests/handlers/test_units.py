"""Cost of an event, exactly: calls and write units of clean, repeated and dirty batches."""

from collections.abc import Mapping
from typing import Any

import pytest

import orders
from outbox import transaction
from outbox.apply import apply_once
from outbox.commit import commit
from outbox.effects import Add
from outbox.forward import forward
from outbox.items import Key
from outbox.transaction import IncomingEvent
from tests.handlers.support import (
    SOURCE_TABLE,
    Clock,
    Recorder,
    cancelled,
    deliver,
    identifiers,
    inserts,
    messages,
    order_body,
    send_answer,
    total,
)

# Lambda receives and deletes up to ten messages of a standard queue in a request.
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
MESSAGES_PER_REQUEST = 10
FULL = 99  # markers that one transaction holds beside the total


def _batch(size: int) -> list[dict[str, Any]]:
    return messages(*(order_body(f"o-{n}", n) for n in range(1, size + 1)))


def _sum(*numbers: int) -> int:
    return sum(range(1, FULL + 1)) - sum(numbers)


@pytest.mark.parametrize("repetitions", [1, 2])
def test_command_costs_four_units_and_no_read_new_or_repeated(dynamodb: Any, repetitions: int) -> None:
    client = Recorder(dynamodb)
    order = orders.Order("a", 1000)

    for _ in range(repetitions):
        commit(
            client,  # type: ignore[arg-type] # stands for a client
            table=SOURCE_TABLE,
            state=orders.state_of(order),
            event=orders.event_of(order),
            request_fields=orders.REQUEST_FIELDS,
            backoff=Clock().backoff(),
        )

    assert (len(client.calls), client.write_units) == (repetitions, 4 * repetitions)
    # No client token: the conditions decide, however late a repetition comes.
    assert {(operation, *request) for operation, request in client.calls} == {
        ("transact_write_items", "TransactItems")
    }


@pytest.mark.parametrize(
    ("size", "calls", "units"), [(1, 1, 4), (10, 1, 22), (99, 1, 200), (100, 2, 204), (250, 3, 506)]
)
def test_batch_costs_two_units_a_marker_and_two_a_transaction(
    dynamodb: Any, size: int, calls: int, units: int
) -> None:
    client = Recorder(dynamodb)

    reported = deliver(client, _batch(size))

    assert reported == []
    assert total(dynamodb) == (size, sum(range(1, size + 1)))
    assert (len(client.calls), client.write_units) == (calls, units)


@pytest.mark.parametrize(("size", "units"), [(1, 4), (10, 22), (99, 200)])
def test_replayed_batch_is_recognised_by_one_cancelled_transaction(
    dynamodb: Any, size: int, units: int
) -> None:
    deliver(dynamodb, _batch(size))
    client = Recorder(dynamodb)

    reported = deliver(client, _batch(size))

    assert reported == []
    assert total(dynamodb) == (size, sum(range(1, size + 1)))
    assert (len(client.calls), client.write_units) == (1, units)
    assert {(operation, *request) for operation, request in client.calls} == {
        ("transact_write_items", "TransactItems")
    }


@pytest.mark.parametrize(("size", "calls"), [(1, 1), (10, 1), (11, 2), (100, 10)])
@pytest.mark.parametrize("queues", [["one"], ["one", "two"]])
def test_relay_makes_one_call_for_ten_events_and_queue(size: int, calls: int, queues: list[str]) -> None:
    client = Recorder(None, default=send_answer)
    records = inserts(*(f"body {n}" for n in range(size)))

    response = forward(
        client,  # type: ignore[arg-type] # stands for a client
        queue_urls=queues,
        records=records,
        backoff=Clock().backoff(),
        function_name="relay",
    )

    assert identifiers(response) == []
    assert len(client.calls) == calls * len(queues)


def test_event_in_full_batches_stays_within_the_promised_cost(dynamodb: Any) -> None:
    commits, sends, consumer = Recorder(dynamodb), Recorder(None, default=send_answer), Recorder(dynamodb)
    placed = [orders.Order(f"o-{n}", n) for n in range(1, FULL + 1)]
    for order in placed:
        commit(
            commits,  # type: ignore[arg-type] # stands for a client
            table=SOURCE_TABLE,
            state=orders.state_of(order),
            event=orders.event_of(order),
            request_fields=orders.REQUEST_FIELDS,
            backoff=Clock().backoff(),
        )
    bodies = [orders.event_of(order).body for order in placed]
    forward(
        sends,  # type: ignore[arg-type] # stands for a client
        queue_urls=["one"],
        records=inserts(*bodies),
        backoff=Clock().backoff(),
        function_name="relay",
    )
    deliver(consumer, messages(*bodies))

    received_and_deleted = 2 * -(-FULL // MESSAGES_PER_REQUEST)
    assert commits.write_units + consumer.write_units == 4 * FULL + 2 * FULL + 2
    assert (commits.write_units + consumer.write_units) / FULL <= 6.1
    assert (len(sends.calls) + received_and_deleted) / FULL <= 0.31
    assert len(consumer.calls) / FULL <= 0.02


def _seen(n: int, cents: int) -> dict[str, Any]:
    """The answer of the marker of event n, which was applied with this amount."""
    digest = orders.sales().parse(order_body(f"o-{n}", cents)).identity.digest
    return {"Code": "ConditionalCheckFailed", "Item": {"digest": {"S": digest}}}


DUPLICATE, CHANGED, INVALID = _seen(5, 5), _seen(6, 60), "ValidationError"


@pytest.mark.parametrize(
    ("reasons", "reported", "lost"),
    [
        ({5: DUPLICATE}, [], [5]),
        ({6: CHANGED}, ["m-6"], [6]),
        ({7: INVALID}, ["m-7"], [7]),
        ({"total": "TransactionConflict"}, [], []),
        ({"total": "ThrottlingError"}, [], []),
        ({"total": "ProvisionedThroughputExceeded"}, [], []),
        ({8: "TransactionConflict"}, [], []),
        (
            {5: DUPLICATE, 6: CHANGED, 7: INVALID, 8: "ThrottlingError", "total": "TransactionConflict"},
            ["m-6"],
            [5, 6],
        ),
    ],
)
def test_dirty_batch_is_repaired_by_its_reasons_with_one_more_transaction(
    dynamodb: Any, reasons: Mapping[int | str, Any], reported: list[str], lost: list[int]
) -> None:
    actions = [1, "total", *range(2, FULL + 1)]
    client = Recorder(dynamodb, cancelled(*(reasons.get(action, "None") for action in actions)))

    found = deliver(client, _batch(FULL))

    assert found == reported
    assert total(dynamodb) == (FULL - len(lost), _sum(*lost))
    assert len(client.calls) == 2


EVENTS, ACTIONS = 300, 10


@pytest.mark.parametrize(
    ("constants", "most"), [(1, 1), (2, 3), (EVENTS, ACTIONS + 1)], ids=["merged", "in two", "none merged"]
)
def test_event_of_a_large_batch_is_tried_for_a_bounded_number_of_transactions(
    monkeypatch: pytest.MonkeyPatch, constants: int, most: int
) -> None:
    tried: list[IncomingEvent] = []
    fit = transaction._changed_writes

    def noted(writes: Any, event: IncomingEvent) -> Any:
        tried.append(event)
        return fit(writes, event)

    monkeypatch.setattr(transaction, "_changed_writes", noted)
    monkeypatch.setattr(transaction, "MAXIMUM_ACTIONS", ACTIONS)
    client: Any = Recorder(None, default={})
    # Additions with different constants do not merge: each set of equal ones needs transactions of its own.
    events = [
        IncomingEvent.of(f"{n}", {}, [Add(Key("T", "N"), {"n": 1}, {"c": f"{n % constants}"})])
        for n in range(EVENTS)
    ]

    outcomes = apply_once(client, table="table", events=events, backoff=Clock().backoff())

    assert outcomes == ["APPLIED"] * EVENTS
    assert len(tried) <= most * EVENTS
