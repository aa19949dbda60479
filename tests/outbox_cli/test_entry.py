"""The script's first moments and its last: signals, and errors that nobody foresaw."""

import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from outbox_cli import main as command_line
from outbox_cli.entry import main
from outbox_cli.errors import StoppedError
from tests.outbox_cli.verbs import run_verb

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """A shell's: Ctrl-C interrupts, the others end; and those of the test run again afterwards."""
    before = {each: signal.getsignal(each) for each in SIGNALS}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for each in (signal.SIGTERM, signal.SIGHUP):  # the tests may run under nohup
        signal.signal(each, signal.SIG_DFL)
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


class Importing(ModuleType):
    """The module `outbox_cli.main`, while whose import something happens."""

    def __init__(self, happens: Callable[[], None], then: Callable[[], int]) -> None:
        super().__init__("outbox_cli.main")
        self._happens = happens
        self._then = then

    @property
    def run(self) -> Callable[[], int]:
        self._happens()
        return self._then


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_during_the_imports_stops_before_the_verb_begins(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun: list[str] = []

    def verb() -> int:
        begun.append("verb")
        return 0

    module = Importing(lambda: os.kill(os.getpid(), number), verb)
    monkeypatch.setitem(sys.modules, "outbox_cli.main", module)

    with pytest.raises(SystemExit) as ended:
        main()

    assert (ended.value.code, begun) == (128 + number, [])
    assert capsys.readouterr().err == "Stopped on request.\n"


def test_signal_that_nohup_ignores_stays_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    monkeypatch.setitem(sys.modules, "outbox_cli.main", Importing(lambda: None, lambda: 0))

    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code == 0
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


def test_verb_stopped_in_the_middle_says_how_far_it_came_and_exits_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(**_: object) -> None:
        raise StoppedError("The redrive was stopped after 4 messages.")

    monkeypatch.setattr(command_line, "app", stopped)

    code = run_verb(monkeypatch)

    assert (code, capsys.readouterr().err) == (130, "The redrive was stopped after 4 messages.\n")


def test_error_that_nobody_foresaw_is_one_sentence_and_a_traceback_where_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(**_: object) -> None:
        raise KeyError("Items")

    monkeypatch.setattr(command_line, "app", fails)

    code = run_verb(monkeypatch)
    monkeypatch.setenv(command_line.TRACEBACK_VARIABLE, "1")

    said = capsys.readouterr().err
    assert (code, said.count("\n")) == (1, 1)
    assert "has a fault of its own here (KeyError: 'Items'): report it" in said
    with pytest.raises(KeyError):
        run_verb(monkeypatch)
