"""Every verb of the command line, found by walking it, and how to run one inside the test's own process."""

import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main

from outbox_cli.main import app, run
from outbox_cli.orders.sending import order_created_body
from tools.repository import PROGRAM_DIRECTORY

EXAMPLE = "Example: outbox "
ARN_START = "arn:aws:sqs:eu-central-1:000000000000:"
OUTPUTS = {
    "domain": "orders",
    "source_table_name": "source",
    "projection_table_name": "projection",
    "stream_arn": "arn:aws:dynamodb:eu-central-1:000000000000:table/source/stream/now",
    "queue_url": "https://sqs.eu-central-1.amazonaws.com/000000000000/queue",
    "queue_arn": f"{ARN_START}queue",
    "dead_letter_queue_url": "https://sqs.eu-central-1.amazonaws.com/000000000000/dead-letters",
    "dead_letter_queue_arn": f"{ARN_START}dead-letters",
    **{f"{name}_function_name": name for name in ("command", "relay", "consumer")},
    **{f"{name}_log_group_name": name for name in ("command", "relay", "consumer")},
    "relay_mapping_uuid": "11111111-1111-4111-8111-111111111111",
    "consumer_mapping_uuid": "22222222-2222-4222-8222-222222222222",
    "relay_failure_queue_url": "https://sqs.eu-central-1.amazonaws.com/000000000000/failures",
}


@dataclass(frozen=True)
class Verb:
    """A verb: its words, its example's arguments, and the options that it has."""

    words: tuple[str, ...]
    help: str
    epilog: str
    options: frozenset[str]

    def __str__(self) -> str:
        return " ".join(self.words)

    @property
    def example(self) -> list[str]:
        """The arguments of the help's own example, the verb's words first; without a stack on AWS."""
        words = self.epilog.removeprefix(EXAMPLE).split()
        if "--aws" in words:
            place = words.index("--aws")
            del words[place : place + 2]
        return words


def all_verbs() -> list[Verb]:
    return list(_walk(typer.main.get_command(app), ()))


def verbs_on_a_stack() -> list[Verb]:
    return [verb for verb in all_verbs() if "--aws" in verb.options]


def _walk(command: Any, words: tuple[str, ...]) -> Iterator[Verb]:
    children = getattr(command, "commands", None)
    if children is None:
        options = frozenset(option for parameter in command.params for option in parameter.opts)
        yield Verb(words, command.help or "", command.epilog or "", options)
    for name, child in (children or {}).items():
        yield from _walk(child, (*words, name))


def parsed(arguments: list[str]) -> dict[str, Any]:
    """What the verb would be called with; nothing is called."""
    command: Any = typer.main.get_command(app)
    context = None
    while hasattr(command, "commands"):
        name, arguments = arguments[0], arguments[1:]
        context = command.make_context(command.name, [name, "--help"], resilient_parsing=True, parent=context)
        command = command.commands[name]
    return dict(command.make_context(command.name, arguments, parent=context).params)


def run_verb(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Runs the command line as the script does, and returns its exit code."""
    monkeypatch.setattr(sys, "argv", ["outbox", *arguments])
    return run()


def files_of_examples(folder: Path) -> None:
    """The files that examples of the help name, the settings of the stacks that they name, and the domain."""
    for settings in PROGRAM_DIRECTORY.glob("Pulumi*.yaml"):
        shutil.copy(settings, folder)
    for module in ("domain.py", "orders.py"):
        (folder / "handlers").mkdir(exist_ok=True)
        shutil.copy(PROGRAM_DIRECTORY / "handlers" / module, folder / "handlers")
    (folder / "corrected.json").write_text(order_created_body("order-a", 1000))


def outputs_file(folder: Path) -> str:
    """A file as `pulumi stack output --json` writes it."""
    path = folder / "dev.json"
    path.write_text(json.dumps(OUTPUTS))
    return str(path)


def commands_of_runbook() -> list[str]:
    """Every command that docs/runbook.md tells somebody to run."""
    runbook = (PROGRAM_DIRECTORY / "docs" / "runbook.md").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"`outbox ([^`]+)`", runbook)))
