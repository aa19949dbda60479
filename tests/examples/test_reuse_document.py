"""Documents about a domain of your own: every block is written down and run, executed, or quoted from a file."""

import ast
import importlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import outbox
from tests.checkout import copy_checkout
from tests.examples.reuse_blocks import BLOCKS, DOCUMENT, OWN_FOLDER, Block, write_own_folder
from tools.repository import PROGRAM_DIRECTORY

PATIENCE_SECONDS = 300
TEST, TRY = "PYTHONPATH=desk/handlers .venv/bin/python -m pytest desk", ".venv/bin/python -m desk.try_it"
RUN_ELSEWHERE = {
    ".venv/bin/python -m examples.inventory.demo",  # test_inventory.py
    "cd desk",
    "pulumi stack init dev",  # tests/engine
    "pulumi up",
}
QUOTED = [block for block in BLOCKS if block.path and not block.path.startswith(OWN_FOLDER)]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository in which the reader has written every file that the document shows."""
    folder = copy_checkout(tmp_path_factory.mktemp("reader") / "transactional-outbox")
    write_own_folder(folder)
    return folder


def _run(checkout: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", command],
        cwd=checkout,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )


def test_commands_are_those_that_are_run() -> None:
    lines = [line for block in BLOCKS if block.language == "sh" for line in block.text.splitlines()]

    assert set(lines) == {TEST, TRY} | RUN_ELSEWHERE


def test_own_domain_passes_its_own_test(checkout: Path) -> None:
    done = _run(checkout, TEST)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_own_program_runs_on_the_local_aws_as_shown(checkout: Path) -> None:
    [shown] = [block.text for block in BLOCKS if block.language == "text"]

    done = _run(checkout, TRY)

    assert (done.returncode, done.stdout) == (0, shown), done.stderr


@pytest.mark.parametrize("block", QUOTED, ids=lambda block: block.path)
def test_quoted_block_stands_in_its_file(block: Block) -> None:
    assert block.text in (PROGRAM_DIRECTORY / block.path).read_text("utf-8")


def test_snippets_run_one_after_the_other(dynamodb: Any) -> None:
    for table, keys in (("customers", ["customer_id"]), ("outbox", ["PK", "SK"])):
        dynamodb.create_table(
            TableName=table,
            KeySchema=[
                {"AttributeName": key, "KeyType": kind}
                for key, kind in zip(keys, ["HASH", "RANGE"], strict=False)
            ],
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in keys],
            BillingMode="PAY_PER_REQUEST",
        )
    dynamodb.put_item(TableName="customers", Item={"customer_id": {"S": "c-1"}})
    snippets = [block.text for block in BLOCKS if block.language == "python" and not block.path]
    names: dict[str, Any] = {}

    for text in snippets:
        exec(compile(text, "docs", "exec"), names)  # noqa: S102 - our own document

    assert len(snippets) == 4
    customer = dynamodb.get_item(TableName="customers", Key={"customer_id": {"S": "c-1"}})["Item"]
    assert customer["name"] == {"S": "Ada"}
    assert (names["take"].on_conflict, names["price"].on_conflict) == ("refuse", "skip")


LISTED = {
    module: names.replace("\n", " ").split(", ")
    for module, names in re.findall(r"^    (\w+): ((?:\w+,?\s+)*\w+)$", outbox.__doc__ or "", re.MULTILINE)
}


@pytest.mark.parametrize("module", sorted(LISTED))
def test_public_name_exists_is_described_and_is_in_the_document(module: str) -> None:
    found = importlib.import_module(f"outbox.{module}")
    names = [name.strip() for name in LISTED[module]]

    for name in names:
        assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", DOCUMENT), f"docs/library.md says nothing of {name}"
        if name in ("Shape", "Item"):  # aliases of types have no docstring of their own
            assert hasattr(found, name)
        else:
            assert (getattr(found, name).__doc__ or "").strip(), f"outbox.{module}.{name} has no docstring"


def test_every_error_of_the_library_is_public() -> None:
    tree = ast.parse(Path(outbox.__path__[0], "errors.py").read_text("utf-8"))

    defined = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}

    assert len(LISTED) >= 18
    assert defined <= {name.strip() for name in LISTED["errors"]}
