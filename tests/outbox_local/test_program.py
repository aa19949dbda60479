"""Programs run as by the engine, in this process."""

import os
from pathlib import Path

import pytest

from outbox_local.errors import ProgramError
from outbox_local.program import Registration, StackConfig, run_program
from outbox_local.resources import Created
from tests.outbox_local.conftest import REGION


def unwanted(registration: Registration) -> Created:
    pytest.fail(f"registered {registration.name}")


def test_program_runs_in_its_own_folder_whatever_the_callers_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "__main__.py").write_text("import os, pulumi\npulumi.export('here', os.getcwd())")
    monkeypatch.chdir(tmp_path)
    config = StackConfig("example", "test", {"aws:region": REGION})

    exports = run_program(Path("program"), config, unwanted)

    assert exports == {"here": str(tmp_path / "program")}
    assert os.getcwd() == str(tmp_path)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("import sys\nsys.exit(0)", r"__main__\.py, line 2: SystemExit: 0\.$"),
        ("raise BaseException('q')", r"__main__\.py, line 1: BaseException: q\.$"),
        ("import nowhere", r"__main__\.py, line 1: ModuleNotFoundError: No module named 'nowhere'\.$"),
        ("1 +", "SyntaxError: invalid syntax"),
    ],
)
def test_program_that_fails_or_exits_is_a_sentence_with_its_line(
    tmp_path: Path, code: str, sentence: str
) -> None:
    (tmp_path / "__main__.py").write_text(code)

    with pytest.raises(ProgramError, match=sentence):
        run_program(tmp_path, StackConfig("example", "test", {"aws:region": REGION}), unwanted)
