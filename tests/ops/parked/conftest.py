"""A parked row, and the body that is typed for it."""

from pathlib import Path

import pytest

from ops.parked import commands
from ops.stack.deployed import Stack
from tests.ops.parked.rows import RIGHT, Typed
from tests.ops.verbs import run_verb


@pytest.fixture
def typed(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Typed:
    monkeypatch.setattr(commands, "chosen_stack", lambda _: stack)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.json").write_text(RIGHT)

    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_verb(monkeypatch, "correct", *arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run
