"""An answer that cannot be written: one sentence, exit code 1, no traceback; and errors without a place to be said."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO, cast

import pytest

from outbox_cli.exit_codes import CHECK_FAILED, DONE, WRONG_USE
from tests.outbox_cli.foreign import Foreign, Screen, arguments_of, put_in_place, run_on
from tools.repository import PROGRAM_DIRECTORY

NOT_WRITTEN = "The answer could not be written to standard output ("
FULL = Path("/dev/full")


@contextmanager
def closed() -> Iterator[None]:
    """Standard output as Python has it when the shell has closed it."""
    yield


@contextmanager
def full() -> Iterator[TextIO]:
    with suppress(OSError), FULL.open("w") as stream:
        yield stream


@contextmanager
def unbuffered() -> Iterator[TextIO]:
    """As PYTHONUNBUFFERED has it: the empty write by which the command line's library probes a stream fails already."""
    with suppress(OSError), FULL.open("wb", buffering=0) as stream:
        yield io.TextIOWrapper(cast("Any", stream), write_through=True)


@contextmanager
def unread() -> Iterator[TextIO]:
    """A pipe whose reader has gone."""
    reads, writes = os.pipe()
    os.close(reads)
    with suppress(OSError), os.fdopen(writes, "w") as stream:
        yield stream


@pytest.mark.parametrize("outlet", [closed, full, unread])
def test_verb_whose_answer_cannot_be_written_says_so_in_one_sentence(
    outlet: Callable[[], Iterator[TextIO | None]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told = set()
    for words, arguments in arguments_of(tmp_path).items():
        for options in ([], ["--json"]):
            with monkeypatch.context() as patch, outlet() as out:  # type: ignore[attr-defined]  # a context
                put_in_place(patch, Foreign(["order-a"]))
                err = Screen("utf-8")

                code = run_on(patch, [*words.split(), *options, *arguments("order-a")[0]], out, err)

            said = [line for line in err.text.splitlines() if line.startswith(NOT_WRITTEN)]
            told.update([words] * len(said))
            assert code in (CHECK_FAILED, WRONG_USE), (words, err.text)
            assert "fault of its own" not in err.text
            assert len(said) <= 1

    # Those whose only answer here is an error.
    assert set(arguments_of(tmp_path)) - told == {"local down", "place", "permissions operator"}


@pytest.mark.parametrize("outlet", [full, unread, unbuffered])
@pytest.mark.parametrize("words", ["--help", "--version", "status --help"])
def test_help_that_cannot_be_written_says_so_in_one_sentence(
    words: str, outlet: Callable[[], Iterator[TextIO]], monkeypatch: pytest.MonkeyPatch
) -> None:
    with outlet() as out:  # type: ignore[attr-defined]  # a context
        err = Screen("utf-8")

        code = run_on(monkeypatch, words.split(), out, err)

    assert (code, err.text.startswith(NOT_WRITTEN), err.text.count("\n")) == (CHECK_FAILED, True, 1)


def test_verb_whose_errors_cannot_be_written_goes_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for outlet in (closed, full, unread):
        for words, arguments in arguments_of(tmp_path).items():
            with monkeypatch.context() as patch, outlet() as err:
                put_in_place(patch, Foreign(["order-a"]))
                patch.setattr("outbox_cli.progress.PLAIN_LINE_SECONDS", -1.0)
                some = [*words.split(), *arguments("order-a")[0]]
                expected = run_on(patch, some, Screen("utf-8"), Screen("utf-8"))
                put_in_place(patch, Foreign(["order-a"]))

                code = run_on(patch, some, Screen("utf-8"), err)

            assert code == expected, words


@pytest.mark.parametrize(
    ("redirection", "code"), [(">/dev/full", CHECK_FAILED), (">&-", CHECK_FAILED), ("2>&- >/dev/null", DONE)]
)
def test_process_ends_with_the_exit_code_of_the_verb(redirection: str, code: int) -> None:
    """Python writes what is left at its end, where no verb could say anything of it."""
    command = f'exec "{sys.executable}" -m outbox_cli.entry cost {redirection}'

    ended = subprocess.run(
        ["bash", "-c", command],
        check=False,
        cwd=PROGRAM_DIRECTORY,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert ended.returncode == code
    lines = ended.stderr.splitlines()
    assert [line[: len(NOT_WRITTEN)] for line in lines] == ([NOT_WRITTEN] if code else [])
