"""`python -m engine`, as docs/components.md prints it: the examples stand, take an order, and leave nothing."""

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.repository import PROGRAM_DIRECTORY

PATIENCE_SECONDS = 300


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Where temporary files of the command go."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def files_of(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}


def lines_until(process: "subprocess.Popen[str]", words: str) -> Iterator[str]:
    assert process.stdout is not None
    for line in process.stdout:
        yield line
        if words in line:
            return


def started(command: str, scratch: Path) -> "subprocess.Popen[str]":
    """A command of the documents, with this environment's Python."""
    python, *words = shlex.split(command)
    assert python == ".venv/bin/python"
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=PROGRAM_DIRECTORY,
        env=os.environ | {"TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize(
    ("command", "orders", "end"),
    [
        (".venv/bin/python -m engine up examples/yaml", ["books", "music"], signal.SIGINT),
        (".venv/bin/python -m engine up examples/python", ["shop", "stock"], signal.SIGHUP),
    ],
)
def test_up_of_an_example_takes_an_order_and_goes_with_ctrl_c_or_its_terminal(
    command: str, orders: list[str], end: signal.Signals, scratch: Path
) -> None:
    example = PROGRAM_DIRECTORY / command.rsplit(maxsplit=1)[-1]
    before = files_of(example) | files_of(PROGRAM_DIRECTORY / "plugin")

    process = started(command, scratch)
    try:
        said = [*lines_until(process, "outbox place")]
        answer = answer_of_what_is_next(said, scratch)
    finally:
        process.send_signal(end)
        rest, errors = process.communicate(timeout=PATIENCE_SECONDS)

    assert (process.returncode, errors) == (0, "")
    assert re.match(r"The engine is /.*pulumi\.\n", said[0])
    assert re.findall(r"/(\w+)\.json at", answer) == orders
    assert "ACCEPTED" in answer
    assert "SECRET" not in "".join(said)
    assert rest.endswith("Gone.\n")
    assert [*scratch.iterdir()] == []
    assert files_of(example) | files_of(PROGRAM_DIRECTORY / "plugin") == before


def answer_of_what_is_next(said: list[str], elsewhere: Path) -> str:
    """Output of the lines that it proposes for another terminal, none of which may fail."""
    proposed = said[said.index("It stands until Ctrl-C. In another terminal:\n") :]
    done = subprocess.run(
        ["sh", "-e"],
        input="".join(line for line in proposed if line.startswith("  ")),
        cwd=elsewhere,
        env={"PATH": os.defpath},
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_preview_makes_nothing(scratch: Path) -> None:
    process = started(".venv/bin/python -m engine preview examples/yaml", scratch)

    said, errors = process.communicate(timeout=PATIENCE_SECONDS)

    assert (process.returncode, errors) == (0, "")
    assert "+ 51 to create" in said
    assert [*scratch.iterdir()] == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("policy", "There is no Pulumi.yaml in .*/policy: name the folder of a Pulumi program."),
        ("examples/yaml --stack prod", "There is no stack 'prod' here: choose one of dev."),
    ],
)
def test_what_is_no_program_or_stack_is_refused_in_one_sentence(
    arguments: str, sentence: str, scratch: Path
) -> None:
    process = started(f".venv/bin/python -m engine up {arguments}", scratch)

    _, errors = process.communicate(timeout=PATIENCE_SECONDS)

    assert process.returncode == 1
    assert re.fullmatch(f"{sentence}\n", errors)


@pytest.mark.parametrize("speed", ["0", "-1", "nan", "fast"])
def test_speed_that_divides_no_wait_is_refused_before_anything_starts(speed: str, scratch: Path) -> None:
    process = started(f".venv/bin/python -m engine up examples/yaml --speed={speed}", scratch)

    said, errors = process.communicate(timeout=PATIENCE_SECONDS)

    assert (process.returncode, said) == (2, "")
    assert f"--speed: {speed} is no number above 0; 1 keeps every wait as deployed" in errors
