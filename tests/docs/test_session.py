"""The sessions on the local AWS run line by line, the verbs that only reckon in a shell as a reader's."""

import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.stack import copy_program
from outbox_local.running import STATE_FOLDER_VARIABLE, StateFolder, stop_in_background
from tests.docs.commands import ACTIVATE, answering, sessions
from tests.docs.documents import Block
from tests.outbox_cli.verbs import run_verb

PATIENCE_SECONDS = 120
UP = "outbox local up"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A reader's folder: it has the program and the environment, and the state of the local AWS."""
    reader = copy_program(tmp_path / "reader")
    state = StateFolder(tmp_path / "state")
    monkeypatch.setenv(STATE_FOLDER_VARIABLE, str(state.path))
    yield reader
    if state.is_locked():
        stop_in_background(state)


def in_a_shell(command: str, folder: Path) -> str:
    done = subprocess.run(
        ["sh", "-ec", f"{ACTIVATE}\n{command}"],
        cwd=folder,
        capture_output=True,
        text=True,
        env=os.environ | {"PATH": os.defpath},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def answer(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str], str]:
    """What a command prints; in this process where nothing stays behind, for each import takes a second."""

    def answered(command: str) -> str:
        if command.startswith(UP):
            return in_a_shell(f"{command} --port 0", folder)
        program, *words = shlex.split(command)
        code = run_verb(monkeypatch, *words)
        shown = capsys.readouterr()
        assert (program, code) == ("outbox", 0), shown.err
        return shown.out

    return answered


def words_told(block: Block) -> list[tuple[str, list[str]]]:
    """The commands of a session, each with the words that its comment says it prints."""
    lines = [line.partition(" #") for line in block.text.splitlines() if line != ACTIVATE]
    told = [(command.strip(), comment.strip()) for command, _, comment in lines]
    return [
        (command, comment.split(", ") if comment[:1].isupper() or comment[:1].isdigit() else [])
        for command, comment in told
    ]


@pytest.mark.parametrize("block", sessions(), ids=str)
def test_commands_of_a_session_do_in_order_what_the_document_says(
    block: Block, answer: Callable[[str], str]
) -> None:
    for command, words in words_told(block):
        shown = answer(command)
        until = time.monotonic() + PATIENCE_SECONDS
        while not all(word in shown for word in words) and time.monotonic() < until:
            time.sleep(0.2)  # events take their way meanwhile
            shown = answer(command)

        assert [word for word in words if word not in shown] == [], shown


@pytest.mark.parametrize("command", answering())
def test_command_that_needs_no_stack_answers(command: str, folder: Path) -> None:
    shown = in_a_shell(command, folder)

    assert "$" in shown
