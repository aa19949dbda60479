"""The rate of reconciliation: measured on tables with lost events, and never of a round that missed one."""

import pytest

from tools.benchmarks import reconciling


def test_round_gives_a_rate_and_the_units_of_an_event(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciling, "EVENTS", 1_000)

    figures = reconciling.figures(reconciling.measure(1))

    assert figures["reconcile_rows_per_second"] > 0
    # Half a unit a marker, one more for each of the ten lost, and 73 times 4 KB of source table.
    assert figures["reconcile_read_units_per_event"] == pytest.approx((500 + 10 + 36.5) / 1_000, abs=0.001)


def test_round_that_misses_a_lost_event_gives_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reconciling, "EVENTS", 1_000)
    whole = reconciling.stack_of(1_000)
    monkeypatch.setattr(reconciling, "stack_of", lambda _: whole)
    monkeypatch.setattr(reconciling, "LOST_EACH", 50)

    with pytest.raises(RuntimeError, match="1000 rows were seen and 10 found lost"):
        reconciling.measure(1)
