"""Bytes of log: the constants are what the functions really write, in both formats."""

from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest

import orders
from outbox import log
from outbox_cli.cost.capacity import plan
from outbox_cli.cost.demand import Demand
from outbox_cli.cost.log_volumes import (
    ACCEPTED,
    APPLIED,
    FORWARDED,
    LINE_BYTES,
    REPEATED,
    RUN_BYTES,
    log_bytes_per_event,
)
from tests.handlers.support import invocation_of_lambda

EVENT_ID = orders.event_of(orders.Order("a" * 40, 1)).event_id


@pytest.mark.parametrize("word", [ACCEPTED, FORWARDED, APPLIED, REPEATED])
@pytest.mark.parametrize("log_format", ["Text", "JSON"])
def test_line_of_an_outcome_is_as_long_as_the_log_writes_it(
    log_format: str, word: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(log, "WRITES_JSON", log_format == "JSON")

    with invocation_of_lambda(str(UUID(int=0))):
        log.line(word, EVENT_ID, event_id=EVENT_ID)

    assert len(capsys.readouterr().out.encode()) == LINE_BYTES[log_format] + len(word)


def test_event_leaves_a_line_in_each_of_three_functions_and_one_for_each_repeat() -> None:
    once = log_bytes_per_event("JSON", runs=Fraction(0), duplicates=Fraction(0))
    twice = log_bytes_per_event("JSON", runs=Fraction(3), duplicates=Fraction(1))

    assert once == 260 + 261 + 259
    assert twice == once + 269 + 3 * RUN_BYTES["JSON"]


def test_month_in_production_is_billed_for_its_json() -> None:
    answer = plan(Demand(events_per_second=Decimal(1_000)))

    [logs] = [line for line in answer.bill.lines if line.rate.name == "CloudWatch logs"]
    runs = 1 + Fraction(1, 100) + Fraction(1, 99)
    assert logs.quantity == 1_000 * 2_592_000 * (260 + 261 + 259 + 420 * runs) / 2**30
