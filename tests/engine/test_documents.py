"""The commands for the Pulumi CLI, as the documents print them, on the real engine."""

from pathlib import Path

import pytest

from tests.checkout import copy_checkout, lend_environment
from tests.docs.commands import engine_blocks
from tests.docs.documents import Block, blocks
from tests.engine.conftest import REGION
from tests.engine.harness import edit
from tests.engine.printed import run_as_printed
from tests.examples.reuse_blocks import write_own_folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the repository under its own name, with what the reader has written so far."""
    folder = copy_checkout(tmp_path / "transactional-outbox")
    edit(folder / "Pulumi.dev.yaml", "us-east-1", REGION)
    configuration = blocks("json")[0]  # policy/README.md's first, for a stack that keeps its logs a week
    (folder / "policy-config.json").write_text(configuration.text)
    write_own_folder(folder, REGION)
    return folder


@pytest.mark.parametrize("block", engine_blocks(), ids=str)
def test_engine_accepts_the_commands_of_a_block_in_order(
    block: Block, checkout: Path, environment: dict[str, str]
) -> None:
    script = block.text
    if "stack init" not in script:
        script = f"pulumi stack init dev\n{script}"  # the README's, from before
    if "policy-config.json" in script:
        script = script.replace("pulumi preview", "pulumi config set logRetentionDays 7\npulumi preview")
    if "cd policy" not in script:
        lend_environment(checkout / "policy")

    run_as_printed(script, checkout, environment)
