"""Links lead somewhere, code runs, figures agree, and the README stays short."""

import ast
import importlib
import re
import sys
from pathlib import Path

import pytest

import components
from tests.docs.documents import DOCUMENTS, INLINE, README, Block, anchors, links, prose, whole_python_blocks
from tests.unit.recording import run
from tests.unit.root_program import run_root
from tools.repository import PROGRAM_DIRECTORY

README_LINES = 120
README_CHARACTERS = 120
PROGRAMS = [block for block in whole_python_blocks() if "transactional_outbox" in block.text]


@pytest.fixture
def as_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The components under the name that the wheel gives them."""
    monkeypatch.setitem(sys.modules, "transactional_outbox", components)


def test_readme_is_short() -> None:
    lines = README.read_text("utf-8").splitlines()

    assert len(lines) <= README_LINES
    assert max(len(line.encode()) for line in lines) <= README_CHARACTERS


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(PROGRAM_DIRECTORY)))
def test_links_of_a_document_lead_to_a_file_and_a_heading(document: Path) -> None:
    broken = []
    for link in links(document):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)

    assert broken == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(PROGRAM_DIRECTORY)))
def test_files_that_a_sentence_names_are_there(document: Path) -> None:
    rooms = "|".join(
        path.name
        for path in PROGRAM_DIRECTORY.iterdir()
        if path.is_dir() and path.name[0] != "." and path.name != "build"
    )
    named = [
        code
        for code in INLINE.findall(prose(document))
        if re.fullmatch(rf"({rooms})/[\w./-]+\.(py|md|json|yaml)", code)
    ]

    # The guarantees name tests from their folder.
    assert [
        path
        for path in named
        if not (PROGRAM_DIRECTORY / path).exists() and not (PROGRAM_DIRECTORY / "tests" / path).exists()
    ] == []


def test_every_document_is_reached_from_the_readme() -> None:
    reached, waiting = set(), [README]
    while waiting:
        document = waiting.pop()
        reached.add(document)
        for link in links(document):
            target = (document.parent / link.partition("#")[0]).resolve()
            if "://" not in link and target.suffix == ".md" and target not in reached:
                waiting.append(target)

    assert {document for document in DOCUMENTS if document not in reached} == set()


@pytest.mark.parametrize("block", whole_python_blocks(), ids=str)
def test_python_of_a_document_compiles_and_its_imports_are_there(block: Block, as_installed: None) -> None:
    tree = ast.parse(block.text)

    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module]
    missing = [
        f"{node.module}.{alias.name}"
        for node in imports
        for alias in node.names
        if not hasattr(importlib.import_module(str(node.module)), alias.name)
    ]
    assert missing == []


@pytest.mark.parametrize("block", PROGRAMS, ids=str)
def test_program_of_a_document_builds_its_components(block: Block, as_installed: None) -> None:
    recording = run(lambda: exec(compile(block.text, str(block), "exec"), {"__name__": "__main__"}))  # noqa: S102 - our own documents

    assert [item for item in recording.registrations if item.type.startswith("outbox:index:")] != []


def test_dollars_of_the_readme_are_those_of_the_costs() -> None:
    amounts = re.findall(r"\$(\d+\.\d\d)", README.read_text("utf-8"))

    costs = (PROGRAM_DIRECTORY / "docs" / "costs.md").read_text("utf-8")
    assert amounts != []
    assert [amount for amount in amounts if amount not in costs] == []


def test_exports_that_the_verbs_read_are_in_the_table_and_in_the_root_program() -> None:
    table = prose(PROGRAM_DIRECTORY / "docs" / "reuse.md").partition("## What the operator's verbs read")[2]
    rows = re.findall(r"^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|", table.partition("\n## ")[0], re.MULTILINE)
    told = {name for row in rows for name in INLINE.findall(row)}

    read = {
        name
        for path in (PROGRAM_DIRECTORY / "outbox_cli").rglob("*.py")
        if path.parent.name != "rights"  # it deploys this program's own stack
        for name in re.findall(r'stack\["([a-z_]+)"\]', path.read_text("utf-8"))
    }
    assert len(read) > 5
    assert read <= told
    assert told <= run_root("prod").exports.keys()
