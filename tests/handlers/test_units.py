"""What an event costs, exactly: calls and write units of clean, repeated and dirty batches."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

import orders
from outbox.commit import commit
from outbox.effects import Add
from outbox.forward import forward
from outbox.items import Key
from outbox.transaction import IncomingEvent
from tests.handlers.support import (
    PROJECTION_TABLE,
    SOURCE_TABLE,
    Clock,
    Recorder,
    cancelled,
    deliver,
    error,
    identifiers,
    inserts,
    items,
    message,
    messages,
    order_body,
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


def _accepting(request: Mapping[str, Any]) -> dict[str, Any]:
    return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}


@pytest.mark.parametrize("repetitions", [1, 2])
def test_command_costs_four_units_and_no_read_new_or_repeated(simulated: Any, repetitions: int) -> None:
    client = Recorder(simulated)
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
    assert client.operations == {"transact_write_items"}


@pytest.mark.parametrize(
    ("size", "calls", "units"), [(1, 1, 4), (10, 1, 22), (99, 1, 200), (100, 2, 204), (250, 3, 506)]
)
def test_batch_costs_two_units_a_marker_and_two_a_transaction(
    simulated: Any, size: int, calls: int, units: int
) -> None:
    client = Recorder(simulated)

    reported = deliver(client, _batch(size))

    assert reported == []
    assert (len(client.calls), client.write_units) == (calls, units)


@pytest.mark.parametrize(("size", "units"), [(1, 4), (10, 22), (99, 200)])
def test_replayed_batch_is_recognised_by_one_cancelled_transaction(
    simulated: Any, size: int, units: int
) -> None:
    deliver(simulated, _batch(size))
    client = Recorder(simulated)

    reported = deliver(client, _batch(size))

    assert reported == []
    assert total(simulated) == (size, sum(range(1, size + 1)))
    assert (len(client.calls), client.write_units) == (1, units)
    assert client.operations == {"transact_write_items"}


@pytest.mark.parametrize(("size", "calls"), [(1, 1), (10, 1), (11, 2), (100, 10)])
@pytest.mark.parametrize("queues", [["one"], ["one", "two"]])
def test_relay_makes_one_call_for_ten_events_and_queue(size: int, calls: int, queues: list[str]) -> None:
    client = Recorder(None, default=_accepting)
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


def test_event_in_full_batches_stays_within_the_promised_cost(simulated: Any) -> None:
    commits, sends, consumer = Recorder(simulated), Recorder(None, default=_accepting), Recorder(simulated)
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
    """What the marker of event n answers that was applied with this amount."""
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
    simulated: Any, reasons: Mapping[int | str, Any], reported: list[str], lost: list[int]
) -> None:
    actions = [1, "total", *range(2, FULL + 1)]
    client = Recorder(simulated, cancelled(*(reasons.get(action, "None") for action in actions)))

    found = deliver(client, _batch(FULL))

    assert found == reported
    assert total(simulated) == (FULL - len(lost), _sum(*lost))
    assert len(client.calls) == 2


def test_batch_with_every_kind_of_dirt_in_turn_costs_one_transaction_for_each(simulated: Any) -> None:
    deliver(simulated, [message(order_body("o-5", 5)), message(order_body("o-6", 60))])
    client = Recorder(
        simulated,
        cancelled("None", "TransactionConflict", *["None"] * (FULL - 1)),
        cancelled("ThrottlingError", *["None"] * FULL),
    )

    reported = deliver(client, _batch(FULL))

    assert reported == ["m-6"]
    assert total(simulated) == (FULL, _sum(6) + 60)
    # conflict, throttle, the two stored markers (in one answer), and the rest applied
    assert len(client.calls) == 4


def _refusing(simulated: Any, bad: set[int], *, with_reasons: bool) -> Callable[[Mapping[str, Any]], Any]:
    """A table that turns down every transaction with one of these events, without naming the event."""
    markers = {f"INBOX#order-created:o-{n}" for n in bad}

    def call(request: Mapping[str, Any]) -> Any:
        actions = request["TransactItems"]
        if markers & {each["Put"]["Item"]["PK"]["S"] for each in actions if "Put" in each}:
            raise (
                cancelled(*("ValidationError" if "Update" in each else "None" for each in actions))
                if with_reasons
                else error("ValidationException")
            )
        return simulated.transact_write_items(**request)

    return call


@pytest.mark.parametrize("bad", [{1}, set(range(1, 14)), set(range(1, FULL + 1))])
@pytest.mark.parametrize("with_reasons", [True, False])
def test_refusal_that_names_nobody_costs_one_transaction_for_each_event(
    simulated: Any, bad: set[int], with_reasons: bool
) -> None:
    client = Recorder(simulated, default=_refusing(simulated, bad, with_reasons=with_reasons))

    reported = deliver(client, _batch(FULL))

    assert reported == [f"m-{n}" for n in sorted(bad)]
    assert total(simulated) == ((FULL - len(bad), _sum(*bad)) if len(bad) < FULL else None)
    assert (len(client.calls), client.write_units) == (1 + FULL, 2 * (FULL + 1) + 4 * FULL)


def test_total_that_refuses_everybody_leaves_the_events_of_other_items_applied(simulated: Any) -> None:
    broken, sound = Key("BROKEN", "TOTAL"), Key("SOUND", "TOTAL")

    def refusing(request: Mapping[str, Any]) -> Any:
        keys = [
            each.get("Update", {}).get("Key", {}).get("PK", {}).get("S") for each in request["TransactItems"]
        ]
        if broken.PK in keys:
            raise cancelled(*("ValidationError" if key == broken.PK else "None" for key in keys))
        return simulated.transact_write_items(**request)

    def parse(body: str) -> IncomingEvent:
        return IncomingEvent.of(body, {}, [Add(broken if int(body) % 2 else sound, {"n": 1})])

    client = Recorder(simulated, default=refusing)

    reported = deliver(client, messages(*map(str, range(98))), parse=parse)

    assert reported == [f"m-{n}" for n in range(2, 99, 2)]
    assert items(simulated, PROJECTION_TABLE)["SOUND"]["n"] == "49"
    assert len(client.calls) == 1 + 1 + 49  # all, those of the other item together, and each of the 49


def test_search_that_runs_out_of_time_reports_what_it_did_not_reach_and_loses_nothing(simulated: Any) -> None:
    clock = Clock()
    refusing = _refusing(simulated, {99}, with_reasons=True)

    def slow(request: Mapping[str, Any]) -> Any:
        clock.remaining -= 1
        return refusing(request)

    client = Recorder(simulated, default=slow)

    first = deliver(client, _batch(FULL), clock)
    applied = total(simulated)
    second = deliver(simulated, [each for each in _batch(FULL) if each["messageId"] in first])

    assert applied == (2, 1 + 2)
    assert first == [f"m-{n}" for n in range(3, FULL + 1)]
    assert second == []
    assert total(simulated) == (FULL, _sum())
    assert len(client.calls) == 3
