"""A copy of the repository, as a clone has it, in which a command of the documents may change whatever it likes."""

import shutil
import sys
from pathlib import Path

from tools.repository import PROGRAM_DIRECTORY

IGNORED = {*(PROGRAM_DIRECTORY / ".gitignore").read_text("utf-8").split()}
MARK_OF_SETUP = ".complete"


def copy_checkout(folder: Path) -> Path:
    """Copies everything that belongs to the repository, and lends it this environment, as if by `make setup`."""
    # Byte-code comes along: a module that is compiled anew in each copy costs more than the copy.
    ignored = shutil.ignore_patterns(".git", *(each.strip("/") for each in IGNORED - {"__pycache__/"}))
    shutil.copytree(PROGRAM_DIRECTORY, folder, ignore=ignored)
    lend_environment(folder)
    return folder


def lend_environment(folder: Path) -> None:
    """Gives a folder a `.venv` of links to this environment: removing or remaking it leaves this one alone."""
    environment = folder / ".venv"
    environment.mkdir()
    for part in Path(sys.prefix).iterdir():
        if part.name != MARK_OF_SETUP:
            (environment / part.name).symlink_to(part)
    (environment / MARK_OF_SETUP).touch()
