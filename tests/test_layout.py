"""The repository's own rules: who may import whom, how long a file may be, and that no code is made for one region."""

import ast
import os
import re
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from tools.repository import PROGRAM_DIRECTORY

MAXIMUM_LINES = 300
DOCUMENT = PROGRAM_DIRECTORY / "docs" / "architecture.md"
ROW = re.compile(r"^\| `([\w./]+)` \|[^|]*\| ([^|]*) \|$", re.MULTILINE)
EVERYTHING, ITS_OWN_MODULES = "everything", "their own modules"
HANDLERS_MAY_USE = {
    "boto3",
    "botocore",
    "types_boto3_dynamodb",
    "types_boto3_sqs",
}  # the types while checking
IMPORTING_CALLS = {"importlib.import_module", "import_module", "__import__", "runpy.run_module", "run_module"}
ONE_PLACE = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d|.*arn:aws\b.*", re.DOTALL)
NOT_OURS = {"__pycache__", "build", "desk"}  # a reader of docs/tutorial.md makes the last


@cache
def files() -> dict[str, str]:
    """Path and text of every Python file, without those of environments and builds."""
    found = {}
    for folder, folders, names in os.walk(PROGRAM_DIRECTORY):
        folders[:] = [each for each in folders if not each.startswith(".") and each not in NOT_OURS]
        for path in (Path(folder, name) for name in names if name.endswith(".py")):
            found[path.relative_to(PROGRAM_DIRECTORY).as_posix()] = path.read_text("utf-8")
    return found


@cache
def packages() -> dict[str, str]:
    """The imports that each package may have, in the document's words."""
    return dict(ROW.findall(DOCUMENT.read_text("utf-8")))


def package_of(path: str) -> str:
    """The first folder, or a deeper one with a row of its own."""
    return max(
        (package for package in packages() if path == package or path.startswith(f"{package}/")),
        key=len,
        default=path,
    )


def modules_of(package: str) -> set[str]:
    """The names under which files of a package, and of those inside it, can be imported from there."""
    return {
        part.removesuffix(".py")
        for path in files()
        if path.startswith(f"{package}/")
        for part in path.removeprefix(f"{package}/").split("/")
    }


@cache
def ours() -> set[str]:
    """Every name under which something of this repository is imported."""
    names = packages().keys() | modules_of("handlers") | {"contract", "pack", "rules", "transactional_outbox"}
    return {name for name in names if not name.startswith("__")}


def imported(text: str) -> set[str]:
    """The first part of each module that a file imports by its full name, in a statement or a call."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in IMPORTING_CALLS and node.args:
            named = node.args[0]
            if isinstance(named, ast.Constant) and isinstance(named.value, str):
                names.add(named.value.partition(".")[0])
    return names


def breaches(package: str, names: Iterable[str]) -> list[str]:
    """Those of the imported names that the document does not allow to the package."""
    allowed = packages()[package]
    may = ours() if EVERYTHING in allowed else set(re.findall(r"`(\w+)`", allowed))
    if ITS_OWN_MODULES in allowed:
        may |= modules_of(package)
    return sorted(name for name in names if name in ours() - may)


def test_packages_of_the_document_are_the_repositorys() -> None:
    assert packages().keys() == {package_of(path) for path in files()}


def test_no_file_imports_from_a_package_that_it_may_not_use() -> None:
    found = {path: breaches(package_of(path), imported(text)) for path, text in files().items()}

    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("package", "statement", "breach"),
    [
        ("components", "from outbox_cli.stack.deployed import Stack", "outbox_cli"),
        ("components", "from components.limits import DAY_SECONDS", "components"),
        ("handlers", "import outbox_local.clients", "outbox_local"),
        ("handlers/outbox", "from orders import parse_event", "orders"),
        ("handlers/outbox", "import consumer", "consumer"),
        ("outbox_local", 'importlib.import_module("outbox_cli.cost.bills")', "outbox_cli"),
        ("policy", '__import__("components")', "components"),
        ("outbox_local", "def late() -> None:\n    from outbox_cli import cost", "outbox_cli"),
        ("outbox_cli", "import tests", "tests"),
        ("policy", "from components import statements", "components"),
        ("tools", "from tests.unit import recording", "tests"),
    ],
)
def test_import_against_the_direction_is_found(package: str, statement: str, breach: str) -> None:
    assert breaches(package, imported(statement)) == [breach]


def test_handlers_use_the_standard_library_and_boto3_alone() -> None:
    known = modules_of("handlers") | sys.stdlib_module_names | HANDLERS_MAY_USE

    found = {path: imported(text) - known for path, text in files().items() if path.startswith("handlers/")}

    assert len(found) > 10
    assert {path: names for path, names in found.items() if names} == {}


def test_no_python_file_is_longer_than_its_limit() -> None:
    lengths = {path: len(text.splitlines()) for path, text in files().items()}

    assert {path: lines for path, lines in lengths.items() if lines > MAXIMUM_LINES} == {}


def places(text: str) -> set[str]:
    """The constants of a file that are one region's name, or that write a partition down."""
    constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    return {value for value in constants if isinstance(value, str) and ONE_PLACE.fullmatch(value)}


def test_no_file_outside_the_tests_is_written_for_one_region_or_partition() -> None:
    found = {path: places(text) for path, text in files().items() if not path.startswith("tests/")}

    assert {path: values for path, values in found.items() if values} == {}


@pytest.mark.parametrize(
    "text", ["us-east-1", "us-gov-west-1", "eusc-de-east-1", "arn:aws:sqs:", "arn:aws-cn:s3"]
)
def test_constant_that_names_a_region_or_a_partition_is_found(text: str) -> None:
    assert places(f"VALUE = {text!r}") == {text}
