"""The commands for the Pulumi CLI, as the documents print them, on the real engine."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.checkout import copy_checkout, lend_environment
from tests.docs.commands import engine_blocks
from tests.docs.documents import Block, blocks
from tests.engine.conftest import REGION
from tests.engine.harness import edit
from tests.examples.test_reuse_document import BLOCKS

PATIENCE_SECONDS = 300
PLACEHOLDERS = {"<your region>": REGION}
PACKAGE_INDEX_VARIABLES = ("PIP_", "SSL_", "HTTP_", "HTTPS_", "NO_", "http_", "https_", "no_")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the repository under its own name, with what the reader has written so far."""
    folder = copy_checkout(tmp_path / "transactional-outbox")
    edit(folder / "Pulumi.dev.yaml", "us-east-1", REGION)
    (configuration,) = blocks("json")  # policy/README.md's, for a stack that keeps its logs a week
    (folder / "policy-config.json").write_text(configuration.text)
    for block in BLOCKS:
        if block.path.startswith("desk/"):
            (folder / block.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.path).write_text(block.text.replace("us-east-1", REGION))
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


def run_as_printed(script: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Runs lines of a document in a shell, up to the first that fails, with yes for an answer where they ask."""
    for placeholder, value in PLACEHOLDERS.items():
        script = script.replace(placeholder, value)
    passed_on = {name: os.environ[name] for name in os.environ if name.startswith(PACKAGE_INDEX_VARIABLES)}
    pip = {
        "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),
        "PIP_COMPILE": "0",
    }  # fetched once; as `make setup`
    done = subprocess.run(
        ["sh", "-ex", "-c", script],
        cwd=folder,
        env={
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            "PULUMI_SKIP_CONFIRMATIONS": "true",
            **pip,
            **passed_on,
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"The last of these lines failed:\n{done.stdout}{done.stderr}", pytrace=False)
