"""A parked row, and the body that is typed for it."""

from pathlib import Path

import pytest

from outbox_cli.parked import commands
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.parked.rows import RIGHT, Typed
from tests.outbox_cli.verbs import run_verb


@pytest.fixture
def typed(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Typed:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: stack)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.json").write_text(RIGHT)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_verb(monkeypatch, "correct", *arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
