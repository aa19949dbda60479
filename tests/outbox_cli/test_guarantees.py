"""docs/guarantees.md names tests that exist: a promise whose test went has nobody to keep it."""

import ast
import re

import pytest

from tools.repository import PROGRAM_DIRECTORY

DOCUMENT = (PROGRAM_DIRECTORY / "docs" / "guarantees.md").read_text()
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", DOCUMENT)))


@pytest.mark.parametrize(("file", "test"), NAMED)
def test_guarantee_names_a_test_that_exists(file: str, test: str) -> None:
    tree = ast.parse((PROGRAM_DIRECTORY / "tests" / file).read_text())

    assert test in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_promise_has_its_test() -> None:
    promises = DOCUMENT.partition("## Promises")[2].partition("## Limits")[0]
    rows = [line for line in promises.splitlines() if line.startswith("| ") and "|---" not in line][1:]

    without_test = [row for row in rows if "::test_" not in row]

    assert rows
    assert without_test == []


def test_every_limit_has_its_test_or_says_why_there_is_none() -> None:
    limits = DOCUMENT.partition("## Limits")[2].partition("\n## ")[0]
    rows = [line for line in limits.splitlines() if line.startswith("| **")]

    unexplained = [row for row in rows if "::test_" not in row and "No test: " not in row]

    assert rows
    assert unexplained == []
