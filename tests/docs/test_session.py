"""The README's session on the local AWS, run as it is printed."""

import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from local.paths import PROGRAM_DIRECTORY
from local.running import STATE_FOLDER_VARIABLE, StateFolder, stop_in_background
from tests.docs.documents import README, blocks

PATIENCE_SECONDS = 120
ON_A_FREE_PORT = ["--port", "0"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StateFolder]:
    folder = StateFolder(tmp_path / "state")
    yield folder
    if folder.is_locked():
        stop_in_background(folder)


def session() -> list[tuple[list[str], list[str]]]:
    """The commands of the session, each with the words that its comment says it prints."""
    (block,) = [each for each in blocks("sh") if each.document == README and "outbox local up" in each.text]
    lines = [line.partition(" #") for line in block.text.splitlines() if line.startswith("outbox ")]
    return [
        (
            shlex.split(command),
            comment.split(", ") if comment.strip()[:1].isupper() or comment.strip()[:1].isdigit() else [],
        )
        for command, _, comment in lines
    ]


def answer(command: list[str], folder: StateFolder) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "ops.entry", *command[1:]],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(PROGRAM_DIRECTORY), STATE_FOLDER_VARIABLE: str(folder.path)},
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_commands_of_the_readme_do_in_order_what_it_says(folder: StateFolder) -> None:
    for command, words in session():
        is_up = command[1:3] == ["local", "up"]
        shown = answer([*command, *ON_A_FREE_PORT] if is_up else command, folder)
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(word.strip() in shown for word in words) and time.monotonic() < until:
            time.sleep(0.2)  # events take their way meanwhile
            shown = answer(command, folder)

        assert [word for word in words if word.strip() not in shown] == [], shown
