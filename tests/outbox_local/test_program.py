"""Programs run as by the engine, in this process."""

import os
from pathlib import Path

import pytest

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
