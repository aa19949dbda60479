"""Prints a verb's answer: for people as lines, for programs as one JSON object and nothing else."""

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from outbox_cli.shown import shown

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


@dataclass(frozen=True)
class Output:
    """Where answers go, and in which form."""

    as_json: bool

    def write(self, answer: Mapping[str, Any], *lines: str) -> None:
        """Prints the answer as one JSON object, or the lines that say the same, each on one line."""
        text = json.dumps(answer) if self.as_json else "\n".join(map(shown, lines))
        sys.stdout.write(f"{text}\n")

    def begin(self, answer: Mapping[str, Any], *lines: str) -> None:
        """Prints what has to be out before the verb goes on; `end` prints the rest of the same object."""
        if self.as_json:
            sys.stdout.write(f"{json.dumps(answer)[:-1]}, ")
        elif lines:
            self.write({}, *lines)
        sys.stdout.flush()

    def end(self, answer: Mapping[str, Any], *lines: str) -> None:
        """Prints what has come of it."""
        if self.as_json:
            sys.stdout.write(f"{json.dumps(answer)[1:]}\n")
        else:
            self.write({}, *lines)
