"""The commands for a checkout itself run as the documents print them, where they can do no harm."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.checkout import lend_environment
from tools.repository import PROGRAM_DIRECTORY

LISTS = {
    str(path.relative_to(PROGRAM_DIRECTORY)) for path in PROGRAM_DIRECTORY.glob("*/*requirements*.in")
} | {path.name for path in PROGRAM_DIRECTORY.glob("*requirements*.in")}
UNTIDY, TIDY = "import os\nx = {  'a':1 }\n", 'x = {"a": 1}\n'
MADE = ("build", ".outbox", ".mypy_cache", ".ruff_cache", ".pytest_cache")
RESOLVER = """#!/bin/sh
for word; do case "$word" in *.in) echo "$word";; esac; done
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with an environment, and with what the targets read."""
    folder = tmp_path / "checkout"
    for name in ("Makefile", "pyproject.toml", "requirements-dev.txt", *LISTS):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAM_DIRECTORY / name, folder / name)
    lend_environment(folder)
    return folder


def run(command: str, checkout: Path, **variables: str) -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=checkout,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_environment_that_is_set_up_is_kept_and_has_the_command_line(checkout: Path) -> None:
    shown = run("make setup && . .venv/bin/activate; command -v outbox", checkout)

    assert shown.endswith("/bin/outbox\n")
    assert "Installing" not in shown


def test_fix_repairs_what_can_be_repaired(checkout: Path) -> None:
    (checkout / "module.py").write_text(f'"""A module."""\n\n{UNTIDY}')

    run("make fix", checkout)

    assert (checkout / "module.py").read_text() == f'"""A module."""\n\n{TIDY}'


def test_clean_removes_what_was_made_and_no_source(checkout: Path) -> None:
    for name in MADE:
        (checkout / name).mkdir()
    before = {path.name for path in checkout.iterdir()}

    run("make clean", checkout)

    assert before - {path.name for path in checkout.iterdir()} == {".venv", *MADE}


def test_lock_resolves_every_list_and_none_before_those_that_bind_it(checkout: Path, tmp_path: Path) -> None:
    (tmp_path / "uv").write_text(RESOLVER)
    (tmp_path / "uv").chmod(0o755)

    shown = run("make lock", checkout, PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    resolved = [line for line in shown.splitlines() if line in LISTS]
    assert {*resolved} == LISTS
    assert [name for name in resolved if not binding(name) <= {*resolved[: resolved.index(name)]}] == []


def binding(name: str) -> set[str]:
    """The lists whose resolved versions bind those of this one."""
    lines = (PROGRAM_DIRECTORY / name).read_text("utf-8").splitlines()
    bound = [line.split()[1] for line in lines if line.startswith("-c ")]
    return {os.path.normpath(Path(name).parent / each).replace(".txt", ".in") for each in bound}
