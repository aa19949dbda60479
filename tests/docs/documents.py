"""The public documents, and what is in them: fenced blocks, commands, links."""

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.repository import PROGRAM_DIRECTORY

README = PROGRAM_DIRECTORY / "README.md"
DOCUMENTS = sorted(
    [
        *PROGRAM_DIRECTORY.glob("*.md"),
        *(PROGRAM_DIRECTORY / "docs").glob("*.md"),
        *(PROGRAM_DIRECTORY / "examples").rglob("*.md"),
        PROGRAM_DIRECTORY / "tools" / "benchmarks" / "README.md",
        PROGRAM_DIRECTORY / "outbox_local" / "event_sources" / "README.md",
        PROGRAM_DIRECTORY / "policy" / "README.md",
        PROGRAM_DIRECTORY / "tests" / "outbox_local" / "event_sources" / "CONFORMANCE.md",
    ]
)
RUNS_ALL_OF_REUSE = "examples/test_reuse_document.py"
OF_REUSE = ("tutorial.md", "reuse.md", "library.md")
"""Documents whose blocks are pieces: the test, below tests/, puts their files together and runs them."""
FENCED = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Block:
    """A fenced block: where it stands, its language, its text."""

    document: Path
    language: str
    text: str
    number: int

    def __str__(self) -> str:
        return f"{self.document.relative_to(PROGRAM_DIRECTORY)}-{self.number}"


def blocks(language: str) -> list[Block]:
    return [
        Block(document, found[1], found[2], number)
        for document in DOCUMENTS
        for number, found in enumerate(FENCED.finditer(document.read_text("utf-8")), start=1)
        if found[1] == language
    ]


def whole_python_blocks() -> list[Block]:
    """Those that stand for themselves."""
    return [block for block in blocks("python") if block.document.name not in OF_REUSE]


def commands(block: Block) -> Iterator[str]:
    """The commands of a block, a line each, without the comment behind them."""
    for line in block.text.splitlines():
        if command := line.partition(" #")[0].strip():
            yield command


def prose(document: Path) -> str:
    """A document without its fenced blocks."""
    return re.sub(r"^```.*?^```$", "", document.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)


def links(document: Path) -> list[str]:
    return [found[1] for found in LINK.finditer(prose(document))]


def anchors(document: Path) -> set[str]:
    """The names by which headings are linked: lower case, words joined by hyphens."""
    headings = re.findall(r"^#+ (.+)$", prose(document), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def texts_of_picture(svg: str) -> str:
    """What is written in a picture, in one line; a wrapped cell is in pieces."""
    return " ".join(
        html.unescape(found).replace("\xa0", " ") for found in re.findall(r"<text[^>]*>([^<]*)", svg)
    )
