"""The fenced blocks of the documents about a domain of your own, and the files that they make."""

import re
from pathlib import Path
from typing import NamedTuple

from tests.docs.documents import OF_REUSE
from tools.repository import PROGRAM_DIRECTORY

DOCUMENT = "".join((PROGRAM_DIRECTORY / "docs" / name).read_text("utf-8") for name in OF_REUSE)
OWN_FOLDER = "desk/"


class Block(NamedTuple):
    """A fenced block: its language, the file that its first line names, and its text."""

    language: str
    path: str
    text: str


def _block(language: str, text: str) -> Block:
    named = re.match(r"# ([\w/.]+\.(?:py|yaml))\n", text)
    return Block(language, named[1], text[named.end() :]) if named else Block(language, "", text)


BLOCKS = [
    _block(*found) for found in re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)
]


def write_own_folder(folder: Path, region: str = "us-east-1") -> None:
    """Writes every file that the documents tell the reader to write."""
    for block in BLOCKS:
        if block.path.startswith(OWN_FOLDER):
            (folder / block.path).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.path).write_text(block.text.replace("us-east-1", region), encoding="utf-8")
