"""Every command that a document shows is accepted, and is run by something."""

import re
import shlex

import pytest

from tests.docs.commands import RECIPES, RUN_BY, taken_from_documents, text_of
from tests.docs.documents import DOCUMENTS, INLINE, blocks, commands, prose
from tests.outbox_cli.verbs import all_verbs, parsed
from tools.repository import PROGRAM_DIRECTORY

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
def test_command_of_a_block_is_run_by_something(command: str) -> None:
    told = [command in each for each in (RUN_BY, RECIPES)]

    assert told.count(True) == 1, f"Say in tests/docs/commands.py which test runs {command!r}."


@pytest.mark.parametrize(("command", "runner"), RUN_BY.items())
def test_runner_holds_the_command_or_takes_it_from_the_document(command: str, runner: str) -> None:
    taken = taken_from_documents()

    assert command in taken[runner] if runner in taken else command in text_of(runner)


@pytest.mark.parametrize(("command", "words"), RECIPES.items())
def test_target_runs_what_its_test_runs(command: str, words: tuple[str, str, str]) -> None:
    in_recipe, in_test, runner = words
    recipe = re.findall(rf"^{command.split()[1]}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[0]

    assert in_recipe in recipe
    assert in_test in text_of(runner)


def test_nothing_is_kept_for_a_command_that_nobody_shows() -> None:
    assert [known for known in (*RUN_BY, *RECIPES) if known not in SHOWN] == []


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
def test_target_that_a_document_names_is_there(target: str) -> None:
    assert re.search(rf"^{target}:", MAKEFILE, re.MULTILINE)
    assert target in re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)[0].split()


def test_every_verb_is_in_the_reference() -> None:
    reference = (PROGRAM_DIRECTORY / "docs" / "cli.md").read_text("utf-8")
    rows = re.findall(r"^\| (`outbox .*?) \|", reference, re.MULTILINE)
    told = [code.split()[1:] for row in rows for code in INLINE.findall(row)]

    assert [
        verb
        for verb in all_verbs()
        if not any(tuple(words[: len(verb.words)]) == verb.words for words in told)
    ] == []


def test_every_document_is_looked_at() -> None:
    found = set(PROGRAM_DIRECTORY.glob("*/*.md")) | set(PROGRAM_DIRECTORY.glob("*.md"))

    assert {path for path in found if not path.parts[-2].startswith(".")} <= set(DOCUMENTS)
