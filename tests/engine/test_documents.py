"""The commands for the Pulumi CLI, as the documents print them, on the real engine."""

import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from local.engine.stack import copy_program
from local.paths import PROGRAM_DIRECTORY
from tests.docs.commands import NOT_RUN_HERE, RUN_BY, WORKFLOW, engine_blocks
from tests.docs.documents import Block, commands
from tests.engine.conftest import REGION
from tests.engine.harness import edit
from tests.examples.test_reuse_document import BLOCKS

PATIENCE_SECONDS = 300
PLACEHOLDERS = {"<your region>": REGION}
ASKS_FIRST = {"up", "destroy"}
PACK_CONFIGURATION = '{"logs-retention-one-day": {"days": 1}}'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the repository under its own name, with what the reader has written so far."""
    folder = copy_program(tmp_path / "transactional-outbox", "plugin", "policy")
    edit(folder / "Pulumi.dev.yaml", "us-east-1", REGION)
    (folder / "policy-config.json").write_text(PACK_CONFIGURATION)
    for block in BLOCKS:
        if block.path.startswith("desk/"):
            (folder / block.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.path).write_text(block.text.replace("us-east-1", REGION))
    return folder


@pytest.mark.parametrize("block", engine_blocks(), ids=str)
def test_engine_accepts_the_commands_of_a_block_in_order(
    block: Block, checkout: Path, environment: dict[str, str]
) -> None:
    shown = [*commands(block)]
    folder = checkout
    if not any("stack init" in command for command in shown):
        run("pulumi stack init dev", folder, environment)  # the README's, from before

    for command in shown:
        if command.startswith("cd "):
            folder /= command.split()[1]
        elif command not in NOT_RUN_HERE and RUN_BY[command] != WORKFLOW:
            run(command, folder, environment)


def run(command: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Runs it with yes for an answer where it asks."""
    for placeholder, value in PLACEHOLDERS.items():
        command = command.replace(placeholder, value)
    words = shlex.split(command)
    if words[0] == "outbox":
        folder, words = PROGRAM_DIRECTORY, [sys.executable, "-m", "ops.entry", *words[1:]]
    elif words[1] in ASKS_FIRST:
        words.append("--yes")
    done = subprocess.run(
        words,
        cwd=folder,
        env={"LANG": os.environ.get("LANG", "C.UTF-8"), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"`{command}` failed:\n{done.stdout}{done.stderr}", pytrace=False)
