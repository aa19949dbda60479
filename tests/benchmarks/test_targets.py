"""Bounds: each can be missed, and whoever runs the benchmark is told which was."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import __main__ as command_line
from benchmarks.part import Document, Part
from benchmarks.show import show
from benchmarks.targets import TARGETS, Target, missed
from ops import run_times


def part(name: str, figures: Document) -> Part[Document]:
    return Part(
        name=name,
        description=name,
        full=1,
        quick=1,
        steps=lambda _: 1,
        measure=lambda _rounds, _tick: figures,
        figures=lambda taken: taken,
    )


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
    document: Document,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    document["drain_ratio"] = 9.25
    monkeypatch.setattr(command_line, "PARTS", (part("all", document),))
    monkeypatch.setattr(command_line, "PROGRAM_DIRECTORY", tmp_path)
    monkeypatch.setattr(command_line, "BUILD", tmp_path / "build")
    monkeypatch.setattr("sys.argv", ["benchmarks"])

    exit_code = command_line.main()

    assert exit_code == 1
    assert "MISSED: drain_ratio is 9.25; it must be at least 15.\n" in capsys.readouterr().err
    assert json.loads((tmp_path / "build" / "bench.json").read_text())["drain_ratio"] == 9.25


def test_run_without_an_engine_says_so_on_both_outputs(
    document: Document, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "PARTS", (part("all", document),))
    monkeypatch.setattr(command_line, "PROGRAM_DIRECTORY", tmp_path)
    monkeypatch.setattr(command_line, "BUILD", tmp_path / "build")
    monkeypatch.setattr("sys.argv", ["benchmarks"])

    exit_code = command_line.main()

    said = capsys.readouterr()
    assert exit_code == 0
    assert said.err == "NOT MEASURED: engine: The engine tests need a Pulumi CLI.\n"
    assert "NOT MEASURED" in said.out


def test_targets_hold_the_processor_time_that_capacity_plans_with() -> None:
    bounds = {target.path: target.bound for target in TARGETS}

    planned = {
        "relay": run_times.RELAY_PROCESSOR_MICROSECONDS,
        "consumer": run_times.CONSUMER_PROCESSOR_MICROSECONDS,
    }
    assert {name: bounds[f"cpu_microseconds_per_message.{name}.ours_100"] for name in planned} == planned


def test_run_of_one_part_is_judged_by_its_own_targets_and_written_nowhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "PARTS", (part("drain", {"drain_ratio": 16}), part("other", {})))
    monkeypatch.setattr(command_line, "BUILD", tmp_path / "build")
    monkeypatch.setattr("sys.argv", ["benchmarks", "--part", "drain"])

    exit_code = command_line.main()

    assert (exit_code, capsys.readouterr().err) == (0, "")
    assert not (tmp_path / "build").exists()


def test_run_with_a_part_that_fails_goes_on_and_ends_with_1(
    document: Document,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(_rounds: int, _tick: object) -> Document:
        raise RuntimeError("the queue is empty")

    monkeypatch.setattr(
        command_line, "PARTS", (replace(part("drain", {}), measure=fail), part("all", document))
    )
    monkeypatch.setattr(command_line, "PROGRAM_DIRECTORY", tmp_path)
    monkeypatch.setattr(command_line, "BUILD", tmp_path / "build")
    monkeypatch.setattr("sys.argv", ["benchmarks", "--quick"])

    exit_code = command_line.main()

    assert exit_code == 1
    assert "MISSED: part 'drain' failed: RuntimeError: the queue is empty\n" in capsys.readouterr().err
    assert json.loads((tmp_path / "build" / "bench-quick.json").read_text())["drain_ratio"] == 20
