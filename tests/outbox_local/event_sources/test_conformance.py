"""The conformance table names tests that exist, and sources that are linked above it."""

import ast
import re
from pathlib import Path

FOLDER = Path(__file__).parent
TABLE = (FOLDER / "CONFORMANCE.md").read_text()
ROWS = re.findall(r"^\| (.+?) \| (.+?) \| `([\w./]+\.py)::(\w+)` \|$", TABLE, re.MULTILINE)
LINKED = dict(
    re.findall(r"^\[(.+?)\]\((https://(?:docs\.aws\.amazon|github)\.com/.+?)\)", TABLE, re.MULTILINE)
)


def _tests_in(file: str) -> set[str]:
    tree = ast.parse((FOLDER / file).read_text())
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_conformance_table_names_a_test_for_every_rule() -> None:
    lines = [line for line in TABLE.splitlines() if line.startswith("| ") and "---" not in line]

    missing = [test for _, _, file, test in ROWS if test not in _tests_in(file)]

    assert len(ROWS) == len(lines) - 1, (
        "a line of the table is not of the form | rule | source | `file::test` |"
    )
    assert missing == []


def test_conformance_table_links_every_source() -> None:
    sources = {source for _, cell, _, _ in ROWS for source in cell.split(", ")}

    assert sources - LINKED.keys() == set()
