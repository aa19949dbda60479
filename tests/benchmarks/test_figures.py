"""The arithmetic between measuring and the document."""

import itertools
import json
import statistics
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console

from benchmarks import growth
from benchmarks.deploying import Deployed
from benchmarks.growth import Point, checkpoints, fitted_exponent
from benchmarks.machine import surroundings
from benchmarks.paired import interleaved, median_ratio
from benchmarks.pipeline import CASES
from benchmarks.results import TARGETS, Document, Measurements, Target, document_of
from benchmarks.show import show
from benchmarks.units import Measured, Units


@pytest.fixture
def taken() -> Measurements:
    """Measurements in which ours at batch 100 take a tenth of everything, except that it drains 20 times as fast."""
    whole = Units(wru=8, rru=0, sqs_requests=3, consumer_calls=1, invocations=3, usd_per_million=8)
    tenth = Units(wru=6, rru=0, sqs_requests=0.3, consumer_calls=0.02, invocations=1, usd_per_million=4)
    costs = dict.fromkeys(CASES, 1.0) | {"ours_100": 0.1}
    return Measurements(
        units=dict.fromkeys(CASES, Measured(whole, whole)) | {"ours_100": Measured(tenth, tenth)},
        drain={name: [2.0 / cost, 4.0 / cost] for name, cost in costs.items()} | {"ours_100": [40.0, 80.0]},
        drain_by_executions={name: [1.0, 2.0] for name in costs},
        processor={
            function: {name: [cost, 3 * cost] for name, cost in costs.items()}
            for function in ("command", "relay", "consumer")
        },
        start={
            function: {"walkthrough": [0.4], "ours": [0.3]} for function in ("command", "relay", "consumer")
        },
        deployments=[Deployed(seconds=3, peak_megabytes=100, resources=18)],
        previews={"measured": "nothing"},
        simulated={"calm": [4000.0, 5000.0, 9000.0], "under_faults": [3500.0]},
        growth=[Point(1_000, 1.0, 6_040), Point(10_000, 10.0, 60_400)],
    )


@pytest.fixture
def document(taken: Measurements) -> Document:
    return document_of(taken, surroundings())


def test_document_has_every_figure_that_was_asked_for(document: Document) -> None:
    units = document["units"]

    assert set(units) == {"walkthrough", "ours_1", "ours_10", "ours_100", "powertools_10"}
    for figures in units.values():
        assert {"wru", "sqs_requests", "consumer_calls", "usd_per_million"} <= set(figures)
    assert set(document["start_ratio"]) == {"command", "relay", "consumer"}
    assert {"machine", "versions", "date"} <= set(document)


def test_document_ratios_are_ours_by_walkthrough_and_drain_the_other_way_round(document: Document) -> None:
    expected = {
        "drain_ratio": 20,
        "consumer_cpu_ratio": 0.1,
        "duplicate_cost_ratio": 0.5,
        "growth_exponent": 1,
        "simulation_events_per_second": 5000,
        "simulation_events_per_second_under_faults": 3500,
    }

    found = {name: document[name] for name in expected}

    assert found == pytest.approx(expected)
    assert document["start_ratio"]["relay"] == pytest.approx(0.75)


def test_document_can_be_written_as_json(document: Document) -> None:
    written = json.dumps(document)

    assert json.loads(written)["units"] == document["units"]


def test_targets_of_good_figures_are_all_met(document: Document) -> None:
    missed = [target.path for target in TARGETS if not target.is_met(document)]

    assert missed == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.path)
def test_target_beyond_its_bound_is_missed(document: Document, target: Target) -> None:
    value = target.value(document)

    beyond = replace(target, bound=value * (1.01 if target.at_least else 0.99))

    assert not beyond.is_met(document)


def test_show_says_which_target_was_missed(taken: Measurements) -> None:
    taken.drain["ours_100"] = [2.0, 4.0]
    printed = StringIO()

    show(document_of(taken, surroundings()), Console(file=printed, width=200))

    [line] = [line for line in printed.getvalue().splitlines() if "MISSED" in line]
    assert "drain_ratio" in line


@pytest.mark.parametrize("exponent", [0.0, 1.0, 1.5])
def test_fit_of_known_growth_finds_its_exponent(exponent: float) -> None:
    sizes = [1_000, 3_000, 10_000, 100_000]

    found = fitted_exponent(sizes, [7 * size**exponent for size in sizes])

    assert found == pytest.approx(exponent)


def test_fit_of_one_size_is_refused() -> None:
    with pytest.raises(statistics.StatisticsError):
        fitted_exponent([1_000, 1_000], [1.0, 2.0])


def test_checkpoints_are_full_batches_up_to_the_last() -> None:
    counts = checkpoints(1_000_000)

    assert counts == [1_000, 3_200, 10_000, 31_600, 100_000, 316_200, 1_000_000]


def test_growth_counts_every_event_once_in_transactions_of_99() -> None:
    ticks: list[None] = []

    [point] = growth.measure(1_000, lambda: ticks.append(None))

    assert (point.events, point.write_units, len(ticks)) == (1_000, 6_040, 1)


def test_interleaved_measures_take_turns() -> None:
    turns = itertools.count()
    measures = {name: lambda: float(next(turns)) for name in ("a", "b")}

    samples = interleaved(measures, rounds=2)

    assert samples == {"a": [0, 2], "b": [1, 3]}


def test_median_ratio_pairs_the_samples_of_a_round() -> None:
    ratio = median_ratio([1.0, 20.0, 3.0], [2.0, 40.0, 3.0])

    assert ratio == 0.5
