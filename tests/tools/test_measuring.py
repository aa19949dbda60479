"""Fits, pairs, and the measurements that need nothing but this process and fresh ones."""

import itertools
import statistics
from pathlib import Path

import pytest

from tools.benchmarks import bundling, by_engine, growth
from tools.benchmarks.functions import OURS
from tools.benchmarks.growth import checkpoints, fitted_exponent
from tools.benchmarks.paired import interleaved, median_ratio
from tools.benchmarks.parts import PARTS
from tools.benchmarks.starting import byte_code_of_runtime, start


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
    [point] = growth.measure(1_000)

    assert (point.events, point.write_units) == (1_000, 6_040)


def test_interleaved_measures_take_turns() -> None:
    turns = itertools.count()
    measures = {name: lambda: float(next(turns)) for name in ("a", "b")}

    samples = interleaved(measures, rounds=2)

    assert samples == {"a": [0, 2], "b": [1, 3]}


def test_median_ratio_pairs_the_samples_of_a_round() -> None:
    ratio = median_ratio([1.0, 20.0, 3.0], [2.0, 40.0, 3.0])

    assert ratio == 0.5


def test_parts_have_names_of_their_own() -> None:
    names = [part.name for part in PARTS]

    assert len(names) == len(set(names))


def test_byte_code_of_runtime_holds_the_sdk_and_none_of_a_functions_own_code(tmp_path: Path) -> None:
    byte_code = byte_code_of_runtime(tmp_path, [OURS.folder], ["relay"])
    compiled = {file.name.partition(".")[0] for file in byte_code.rglob("*.pyc") if "warm-" not in str(file)}

    start("relay", OURS.folder, byte_code)
    left = {file.name.partition(".")[0] for file in byte_code.rglob("*.pyc") if "warm-" not in str(file)}

    assert {"session", "client", "hooks"} <= compiled  # botocore's
    assert left == compiled
    assert not compiled & {"relay", "forward", "bodies"}


@pytest.mark.thorough
def test_bundled_archive_starts_and_is_larger_than_the_one_without_boto3() -> None:
    taken = bundling.measure(1)

    figures = bundling.figures(taken)["bundle"]

    assert figures["runtime"]["bytes"] < 80_000 < figures["bundled"]["bytes"] < 2_000_000


def test_engine_that_is_not_built_is_not_built_for_the_benchmark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    taken = by_engine.measure(1)

    assert taken == (
        "There is no engine: no supported Pulumi CLI is on PATH, and none was built yet "
        "(`make test-engine` builds it)."
    )
