"""Bounds: each can be missed, and whoever runs the benchmark is told which was."""

import json
from collections.abc import Callable
from dataclasses import replace
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from outbox_cli.cost import consumption
from tools.benchmarks import __main__ as command_line
from tools.benchmarks.paired import Document
from tools.benchmarks.parts import Part
from tools.benchmarks.show import show
from tools.benchmarks.targets import TARGETS, Target, missed


def part(name: str, figures: Document, measure: Callable[[int], object] = lambda rounds: None) -> Part:
    module = SimpleNamespace(measure=measure, figures=lambda taken: figures)
    return Part(name, name, module, full=1, quick=1)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., int]:
    """Runs the command line with some parts and options, writing under `tmp_path`; answers its exit code."""

    def run(parts: tuple[Part, ...], *options: str) -> int:
        monkeypatch.setattr(command_line, "PARTS", parts)
        monkeypatch.setattr(command_line, "PROGRAM_DIRECTORY", tmp_path)
        monkeypatch.setattr(command_line, "BUILD", tmp_path / "build")
        monkeypatch.setattr("sys.argv", ["benchmarks", *options])
        return command_line.main()

    return run


def test_targets_of_good_figures_are_all_met(document: Document) -> None:
    found = missed(document)

    assert found == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.path)
def test_target_beyond_its_bound_is_missed(document: Document, target: Target) -> None:
    value = target.value(document)
    assert value is not None

    beyond = replace(target, bound=value * (1.01 if target.at_least else 0.99))

    assert not beyond.is_met(document)


def test_target_without_its_figure_is_missed_and_says_so() -> None:
    target = Target("drain_ratio", 15, at_least=True)

    sentence = target.miss({})

    assert not target.is_met({})
    assert sentence == "drain_ratio was not measured; it must be at least 15."


def test_show_says_which_target_was_missed(document: Document) -> None:
    document["drain_ratio"] = 2.0
    printed = StringIO()

    show(document, Console(file=printed, width=200))

    [line] = [line for line in printed.getvalue().splitlines() if "MISSED" in line]
    assert "drain_ratio" in line


def test_show_of_one_part_leaves_out_what_was_not_measured(document: Document) -> None:
    printed = StringIO()

    show({name: document[name] for name in ("machine", "start_ratio")}, Console(file=printed, width=200))

    assert "start_ratio.relay" in printed.getvalue()
    assert "drain" not in printed.getvalue()


def test_run_with_a_missed_target_names_it_with_its_figure_and_ends_with_1(
    document: Document, run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document["drain_ratio"] = 9.25

    exit_code = run((part("all", document),))

    assert exit_code == 1
    assert "MISSED: drain_ratio is 9.25; it must be at least 15.\n" in capsys.readouterr().err
    assert json.loads((tmp_path / "build" / "bench.json").read_text())["drain_ratio"] == 9.25


def test_run_without_an_engine_says_so_on_both_outputs(
    document: Document, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code = run((part("all", document),))

    said = capsys.readouterr()
    assert exit_code == 0
    assert said.err == "NOT MEASURED: engine: The engine tests need a Pulumi CLI.\n"
    assert "engine.not_measured" in said.out


def test_targets_hold_the_processor_time_that_capacity_plans_with() -> None:
    bounds = {target.path: target.bound for target in TARGETS}

    planned = {
        "relay": consumption.RELAY_PROCESSOR_MICROSECONDS,
        "consumer": consumption.CONSUMER_PROCESSOR_MICROSECONDS,
    }
    assert {name: bounds[f"cpu_microseconds_per_message.{name}.ours_100"] for name in planned} == planned


def test_run_of_one_part_is_judged_by_its_own_targets_and_written_nowhere(
    run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exit_code = run((part("drain", {"drain_ratio": 16}), part("other", {})), "--part", "drain")

    assert (exit_code, capsys.readouterr().err) == (0, "")
    assert not (tmp_path / "build").exists()


def test_run_with_a_part_that_fails_goes_on_and_ends_with_1(
    document: Document, run: Callable[..., int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(rounds: int) -> object:
        raise RuntimeError("the queue is empty")

    exit_code = run((part("drain", {}, fail), part("all", document)), "--quick")

    assert exit_code == 1
    assert "MISSED: part 'drain' failed: RuntimeError: the queue is empty\n" in capsys.readouterr().err
    assert json.loads((tmp_path / "build" / "bench-quick.json").read_text())["drain_ratio"] == 20


def test_run_of_few_rounds_is_not_judged_by_its_times(
    document: Document, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    document["growth_exponent"] = 1.051

    exit_code = run((part("all", document),), "--quick")

    said = capsys.readouterr()
    assert exit_code == 0
    assert "MISSED" not in said.out + said.err


def test_run_of_few_rounds_is_judged_by_its_counts_and_by_what_is_absent(
    document: Document, run: Callable[..., int], capsys: pytest.CaptureFixture[str]
) -> None:
    document["units"]["ours_100"]["wru"] = 6.2
    del document["growth_exponent"]
    del document["growth"]

    exit_code = run((part("all", document),), "--quick")

    said = capsys.readouterr().err
    assert exit_code == 1
    assert "MISSED: units.ours_100.wru is 6.2; it must be at most 6.1.\n" in said
    assert "MISSED: growth_exponent was not measured; it must be at most 1.05.\n" in said
