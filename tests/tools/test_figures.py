"""The arithmetic between measuring and the document."""

from typing import Any

import pytest

from tools.benchmarks import by_engine
from tools.benchmarks.paired import Document
from tools.benchmarks.parts import merged


def test_document_has_every_figure_that_was_asked_for(document: Document) -> None:
    counted = document["units"]

    assert set(counted) == {"walkthrough", "ours_1", "ours_10", "ours_100", "powertools_10"}
    for figures in counted.values():
        assert {"wru", "sqs_requests", "consumer_calls", "usd_per_million"} <= set(figures)
    assert set(document["start_ratio"]) == {"command", "relay", "consumer"}
    assert {"machine", "versions", "date"} <= set(document)
    assert {"bytes", "start_ms"} == set(document["bundle"]["runtime"]) == set(document["bundle"]["bundled"])


def test_document_ratios_are_ours_by_walkthrough_and_drain_the_other_way_round(document: Document) -> None:
    expected = {
        "drain_ratio": 20,
        "consumer_cpu_ratio": 0.1,
        "duplicate_cost_ratio": 0.5,
        "growth_exponent": 1,
        "reconcile_rows_per_second": 50_000,
        "reconcile_read_units_per_event": 0.5,
        "simulation_events_per_second": 5000,
        "simulation_events_per_second_under_faults": 3500,
    }

    found = {name: document[name] for name in expected}

    assert found == pytest.approx(expected)
    assert document["start_ratio"]["relay"] == pytest.approx(0.75)
    assert document["start_ratio_bundled"]["relay"] == pytest.approx(0.8)
    assert document["bundle"]["bundled"]["start_ms"] == pytest.approx(400)
    assert document["bundle"]["runtime"]["start_ms"] == pytest.approx(200)
    assert document["batch_1"]["cpu_ratio"]["relay"] == 1


def test_document_without_an_engine_says_so(document: Document) -> None:
    figures = document["engine"]

    assert figures == {"not_measured": "The engine tests need a Pulumi CLI."}


def test_document_with_an_engine_has_time_and_memory_of_each_command() -> None:
    samples: list[dict[str, float]] = [{"seconds": each, "peak_megabytes": 100} for each in (1, 3, 2)]
    taken = dict.fromkeys(by_engine.COMMANDS, samples)

    figures: dict[str, Any] = by_engine.figures(taken)["engine"]

    assert figures == {
        name: {"seconds": 2, "peak_megabytes": 100} for name in ("up", "preview", "preview_with_pack")
    }


def test_documents_with_one_object_in_common_are_merged_within_it() -> None:
    whole = merged([{"a": {"x": 1}, "b": 1}, {"a": {"y": 2}, "c": 3}])

    assert whole == {"a": {"x": 1, "y": 2}, "b": 1, "c": 3}
