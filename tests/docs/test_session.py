"""The sessions on the local AWS, and the verbs that only reckon, run as they are printed."""

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
from tests.docs.commands import answering, sessions
from tests.docs.documents import Block

PATIENCE_SECONDS = 120
ON_A_FREE_PORT = ["--port", "0"]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[StateFolder]:
    folder = StateFolder(tmp_path / "state")
    yield folder
    if folder.is_locked():
        stop_in_background(folder)


def words_told(block: Block) -> list[tuple[list[str], list[str]]]:
    """The commands of a session, each with the words that its comment says it prints."""
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


@pytest.mark.parametrize("block", sessions(), ids=str)
def test_commands_of_a_session_do_in_order_what_the_document_says(block: Block, folder: StateFolder) -> None:
    for command, words in words_told(block):
        is_up = command[1:3] == ["local", "up"]
        shown = answer([*command, *ON_A_FREE_PORT] if is_up else command, folder)
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(word.strip() in shown for word in words) and time.monotonic() < until:
            time.sleep(0.2)  # events take their way meanwhile
            shown = answer(command, folder)

        assert [word for word in words if word.strip() not in shown] == [], shown


@pytest.mark.parametrize("command", answering())
def test_command_that_needs_no_stack_answers(command: str, folder: StateFolder) -> None:
    shown = answer(shlex.split(command), folder)

    assert "$" in shown
