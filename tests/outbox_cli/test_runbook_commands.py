"""Every command that docs/runbook.md tells somebody to run exists, with the options it is told to have.

`test_same_result.py` runs them.
"""

import pytest

from tests.outbox_cli.verbs import all_verbs, commands_of_runbook

COMMANDS = commands_of_runbook()
ASKING_NO_STACK = {("capacity",)}


@pytest.mark.parametrize("command", COMMANDS)
def test_command_of_the_runbook_exists_with_its_options(command: str) -> None:
    words = command.split()

    (verb,) = (verb for verb in all_verbs() if verb.words == tuple(words[: len(verb.words)]))

    assert {word for word in words if word.startswith("--")} <= verb.options
    assert "--aws" in verb.options or verb.words in ASKING_NO_STACK


def test_runbook_tells_what_to_run() -> None:
    assert len(COMMANDS) > 8
