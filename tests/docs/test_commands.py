"""Every command that a document shows is accepted, and is run by something."""

import ast
import re
import shlex

import pytest

from local.paths import PROGRAM_DIRECTORY
from tests.docs.commands import RUN_BY, run_by
from tests.docs.documents import DOCUMENTS, INLINE, README, blocks, commands, prose
from tests.ops.verbs import all_verbs, parsed

SHOWN = sorted({command for block in blocks("sh") for command in commands(block)})
VERBS = {verb.words for verb in all_verbs()}
PLACEHOLDERS = {"CENTS": "1", "N": "1", "FILE": "-", "...": ""}
MAKEFILE = (PROGRAM_DIRECTORY / "Makefile").read_text("utf-8")


def outbox_commands_in_sentences() -> list[str]:
    """`outbox ...` between backticks: what follows is the verb's words and arguments, in capitals what to fill in."""
    return sorted(
        {
            code
            for document in DOCUMENTS
            for code in INLINE.findall(prose(document))
            if re.match(r"outbox [a-z]", code) and "..." not in code and "|" not in code
        }
    )


@pytest.mark.parametrize("command", SHOWN)
def test_command_of_a_block_is_run_by_a_test_or_a_check(command: str) -> None:
    runner = run_by(command)

    assert runner is not None, f"Say in tests/docs/commands.py which test runs {command!r}."


@pytest.mark.parametrize("runner", sorted(set(RUN_BY.values())))
def test_runner_of_commands_is_there(runner: str) -> None:
    path, _, function = runner.partition("::")
    file = PROGRAM_DIRECTORY / ("tests" if path.endswith(".py") else "") / path
    text = file.read_text("utf-8")

    if function:
        assert function in {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
    elif not path.endswith(".py"):
        commands_run = [
            known for known, by in RUN_BY.items() if by == runner and not known.startswith("make setup")
        ]
        assert [known for known in commands_run if known not in text] == []


def test_no_runner_is_kept_for_a_command_that_nobody_shows() -> None:
    shown = [*SHOWN, *(code for document in DOCUMENTS for code in INLINE.findall(prose(document)))]

    assert [known for known in RUN_BY if not any(command.startswith(known) for command in shown)] == []


@pytest.mark.parametrize(
    "command", [*(each for each in SHOWN if each.startswith("outbox ")), *outbox_commands_in_sentences()]
)
def test_outbox_command_is_one_that_the_command_line_accepts(command: str) -> None:
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)[1:]]

    assert tuple(words) in VERBS or parsed(words) is not None  # a sentence may name the verb alone


@pytest.mark.parametrize(
    "target",
    sorted(
        {
            found
            for document in DOCUMENTS
            for found in re.findall(
                r"\bmake ([a-z][a-z-]+)", "\n".join(INLINE.findall(document.read_text("utf-8")))
            )
        }
        | {command.split()[1] for command in SHOWN if command.startswith("make ")}
    ),
)
def test_targets_that_are_run_by_hand_are_there(target: str) -> None:
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
    assert target in re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()


def test_every_verb_is_in_the_readme() -> None:
    rows = re.findall(r"^\| (`outbox .*?) \|", README.read_text("utf-8"), re.MULTILINE)
    told = [code.split()[1:] for row in rows for code in INLINE.findall(row)]

    assert [
        verb
        for verb in all_verbs()
        if not any(tuple(words[: len(verb.words)]) == verb.words for words in told)
    ] == []


def test_every_document_is_looked_at() -> None:
    found = set(PROGRAM_DIRECTORY.glob("*/*.md")) | set(PROGRAM_DIRECTORY.glob("*.md"))

    assert {path for path in found if not path.parts[-2].startswith(".")} <= set(DOCUMENTS)
