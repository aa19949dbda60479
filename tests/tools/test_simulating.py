"""The simulation's own speed: measured by mode, and never of a round that went wrong."""

import pytest

from tools.benchmarks import simulating
from tools.soak.run import Round, RoundResult


@pytest.mark.thorough
def test_measure_takes_each_mode_once_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulating, "ROUND_EVENTS", 50)

    samples = simulating.measure(2)

    assert {mode: len(taken) for mode, taken in samples.items()} == {"calm": 2, "under_faults": 2}
    assert all(rate > 0 for taken in samples.values() for rate in taken)


def test_measure_of_a_round_that_loses_an_event_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Round, "run", lambda _: RoundResult(10, 1, 0))

    with pytest.raises(RuntimeError, match="lost 1 events"):
        simulating.measure(1)
