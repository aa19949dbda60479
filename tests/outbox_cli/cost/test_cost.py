"""The walkthrough's budget and the cost of a million events, to the last digit."""

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import pytest

import orders
from outbox.items import inbox_marker, outbox_row
from outbox_cli.cost import consumption
from outbox_cli.cost.bills import million_events
from outbox_cli.cost.consumption import Traffic, units_per_event
from tests.outbox_cli.cost.asking import run

LONGEST_ORDER = orders.Order("a" * 40, 1_000_000)


def test_allowance_of_the_walkthrough_comes_to_58_cents_line_by_line() -> None:
    result = run("cost", "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert [(line["name"], line["quantity"], line["dollars"]) for line in answer["lines"]] == [
        ("Lambda requests", 10_000, 0.002),
        ("Lambda compute (x86)", 25_000, 0.41675),
        ("SQS standard requests", 100_000, 0.04),
        ("DynamoDB writes", 100_000, 0.0625),
        ("DynamoDB reads", 50_000, 0.00625),
        ("CloudWatch logs", 0.1, 0.05),
        ("DynamoDB stored data", 0.001, 0.00025),
    ]
    assert answer["dollars"] == 0.57775
    assert (answer["rates_region"], answer["rates_checked"]) == ("US East (N. Virginia)", "2026-09")
    assert [row["queue_batch"] for row in answer["per_million_events"]] == [1, 10, 99, 100]


@pytest.mark.parametrize("arguments", [("cost",), ("capacity", "--events-per-second", "100")])
def test_answer_for_people_has_no_escaped_line_break(arguments: Sequence[str]) -> None:
    assert "\\n" not in run(*arguments).output


def test_allowance_with_other_numbers_changes_only_their_lines() -> None:
    result = run("cost", "--seconds", "0.1", "--write-units", "0", "--json")

    expected = Fraction("0.57775") - Fraction("0.41675") * Fraction(99, 100) - Fraction("0.0625")
    assert json.loads(result.stdout)["dollars"] == float(expected)


@pytest.mark.parametrize(
    ("queue_batch", "write_units", "sqs_requests", "invocations", "calls", "dollars"),
    [
        (1, 8, 3, 1, 1, "7.65017"),
        (10, "6.2", "0.3", "0.1", "0.1", "4.5390644"),
        (99, "596/99", "299/990", "1/99", "1/99", None),
        # A hundred markers and the total are 101 actions: one message needs a second transaction.
        (100, "6.04", "0.3", "0.01", "0.02", "4.3963928"),
    ],
)
def test_million_events_at_a_batch_size_consume_exactly_these_units(
    *,
    queue_batch: int,
    write_units: str | int,
    sqs_requests: str | int,
    invocations: str | int,
    calls: str | int,
    dollars: str | None,
) -> None:
    million = million_events(queue_batch)

    assert million["write_units"] == Fraction(write_units)
    assert million["sqs_requests"] == Fraction(sqs_requests)
    assert million["consumer_invocations"] == Fraction(invocations)
    assert million["consumer_calls"] == Fraction(calls)
    assert dollars is None or million["dollars"] == Fraction(dollars)


@pytest.mark.parametrize(("queue_batch", "dollars"), [(1, "7.65"), (10, "4.54"), (99, "4.38"), (100, "4.40")])
def test_million_events_cost_what_the_documentation_says(queue_batch: int, dollars: str) -> None:
    assert f"{float(million_events(queue_batch)['dollars']):.2f}" == dollars


def test_item_sizes_are_those_of_the_longest_order() -> None:
    event = orders.event_of(LONGEST_ORDER)
    row = outbox_row(event.event_id, event.body)

    assert len(event.body) == consumption.WALKTHROUGH_PAYLOAD_BYTES
    assert item_bytes(orders.state_of(LONGEST_ORDER)) == consumption.ORDER_ITEM_BYTES
    assert item_bytes(row) - len(event.body) == consumption.OUTBOX_ATTRIBUTES_BYTES
    assert item_bytes(inbox_marker(event.event_id, "0" * 64)) == consumption.INBOX_ITEM_BYTES


@pytest.mark.parametrize(
    ("payload_bytes", "source_write_units"),
    [
        (1024 - consumption.OUTBOX_ATTRIBUTES_BYTES, 4),
        (1025 - consumption.OUTBOX_ATTRIBUTES_BYTES, 6),
        (10 * 1024 - consumption.OUTBOX_ATTRIBUTES_BYTES, 22),
    ],
)
def test_write_units_of_a_larger_payload_follow_its_kilobytes(
    payload_bytes: int, source_write_units: int
) -> None:
    units = units_per_event(Traffic(payload_bytes=payload_bytes))

    assert units.source_write_units == source_write_units
    assert units.projection_write_units == 4


def test_sqs_requests_of_large_payloads_count_each_64_kilobytes() -> None:
    units = units_per_event(Traffic(stream_batch=10, queue_batch=10, payload_bytes=400 * 1024 - 200))

    # Two bodies fit one send (13 units); a receive of ten takes 63; the delete carries no bodies.
    assert units.sqs_requests == Fraction(5 * 13 + 63 + 1, 10)


def test_duplicate_at_batch_one_costs_one_refused_transaction_and_no_second() -> None:
    clean, repeated = (units_per_event(Traffic(duplicates=share)) for share in (Fraction(0), Fraction(1)))

    assert repeated.projection_write_units == 2 * clean.projection_write_units
    assert repeated.sqs_requests - clean.sqs_requests == 2
    assert repeated.lambda_milliseconds - clean.lambda_milliseconds == 48 + 20
    assert repeated.log_bytes - clean.log_bytes == 269 + 420  # its line, and what Lambda writes about its run


def test_duplicates_in_batches_cost_what_counting_every_case_gives() -> None:
    repeats, batch = Fraction(1, 5), 4
    write_units = attempts = Fraction(0)
    for fresh in product([True, False], repeat=batch):
        probability = prod((1 - repeats if each else repeats for each in fresh), start=Fraction(1))
        tries = [batch] if all(fresh) or not any(fresh) else [batch, sum(fresh)]
        write_units += probability * sum(2 * (events + 1) for events in tries)
        attempts += probability * len(tries)

    units = units_per_event(Traffic(queue_batch=batch, duplicates=Fraction(1, 4)))

    fresh_per_batch = batch * (1 - repeats)
    assert units.projection_write_units == write_units / fresh_per_batch
    command = relay = 48 + 20
    assert units.lambda_milliseconds == command + relay + (48 + 20 * attempts) / fresh_per_batch


def test_cost_on_a_terminal_shows_every_line_and_the_sum() -> None:
    result = run("cost", "--write-units", "200000")

    assert result.exit_code == 0
    assert all(text in result.stdout for text in ("DynamoDB writes", "200,000", "$0.12500", "$0.64", "$7.65"))


@pytest.mark.parametrize("value", ["-1", "nan", "inf", "1e999999999", "1e-999999999", "much", ""])
def test_cost_of_no_amount_is_refused_in_one_sentence(value: str) -> None:
    result = run("cost", f"--invocations={value}")

    assert result.exit_code == 2
    assert "Invalid value for '--invocations'" in result.stderr


def item_bytes(item: Mapping[str, Any]) -> int:
    # A number takes about one byte for two digits, and one more.
    # https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    return sum(
        len(name) + (len(value) if isinstance(value, str) else 1 + (len(str(value)) + 1) // 2)
        for name, value in item.items()
    )
