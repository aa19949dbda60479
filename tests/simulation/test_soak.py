"""The long run: faults really happen in it, and it tells when something is lost or doubled."""

import json
import re
import subprocess
import sys
from typing import Any

import pytest

from tests.simulation.seeded_bugs import SEEDED_BUGS
from tests.simulation.seeding import SeededBug, seeded
from tools.repository import PROGRAM_DIRECTORY
from tools.soak.__main__ import main
from tools.soak.run import SETTINGS, Round, RoundResult

EVENTS = 600


def _bug(name: str) -> SeededBug:
    [bug] = [each for each in SEEDED_BUGS if each.name == name]
    return bug


def _soak(*arguments: str) -> tuple[int, str, dict[str, Any]]:
    """The exit code, the line of the speed and the last line."""
    command = [sys.executable, "-m", "tools.soak", *arguments]
    done = subprocess.run(command, cwd=PROGRAM_DIRECTORY, capture_output=True, text=True, check=False)
    speed, result = done.stdout.splitlines()[-2:]
    return done.returncode, speed, json.loads(result)


@pytest.mark.parametrize("seed", range(2 * len(SETTINGS)))
def test_round_under_faults_loses_and_doubles_nothing(seed: int) -> None:
    result = Round(EVENTS, seed).run()

    assert (result.events, result.lost, result.doubled) == (EVENTS, 0, 0)


@pytest.mark.parametrize(("lost", "doubled"), [(1, 0), (0, 1)])
def test_soak_that_loses_or_doubles_an_event_exits_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], lost: int, doubled: int
) -> None:
    monkeypatch.setattr(sys, "argv", ["soak", "--events", "10"])
    monkeypatch.setattr(Round, "run", lambda _: RoundResult(10, lost, doubled))

    code = main()

    said = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert code == 1
    assert (said["events"], said["lost"], said["doubled"]) == (10, lost, doubled)


def test_round_with_a_lost_condition_counts_doubles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.soak.run.FAULTS_PER_CALL", 0.4)  # full batches make few calls to go wrong
    with seeded(_bug("no condition")):
        result = Round(EVENTS, seed=0).run()

    assert result.doubled > 0


def test_round_with_a_reconciliation_that_sends_nothing_counts_losses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tools.soak.run.FAULTS_PER_CALL", 0.4)
    with seeded(_bug("failed send means sent")), seeded(_bug("reconciliation sends nothing")):
        result = Round(EVENTS, seed=0).run()

    assert result.lost > 0


def test_soak_last_line_is_the_result_and_the_one_before_the_speed() -> None:
    code, speed, result = _soak("--events", "300")

    assert code == 0
    assert {**result, "seconds": 0} == {"events": 300, "lost": 0, "doubled": 0, "seconds": 0}
    assert result["seconds"] >= 0  # rounded: a fast machine takes none
    assert re.fullmatch(r"[\d,]+ events per CPU second", speed)


def test_soak_of_no_events_is_refused() -> None:
    command = [sys.executable, "-m", "tools.soak", "--events", "0"]
    done = subprocess.run(command, cwd=PROGRAM_DIRECTORY, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert "give 1 or more" in done.stderr
