"""Every verb says what it does, with an example that the command line itself accepts, and answers in JSON."""

import pytest

from tests.outbox_cli.verbs import EXAMPLE, Verb, all_verbs, parsed, run_verb

VERBS = all_verbs()


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_help_of_a_verb_ends_with_an_example_that_parses(
    verb: Verb, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_verb(monkeypatch, *verb.words, "--help")

    shown = capsys.readouterr().out
    example = " ".join(shown.split()).rpartition(EXAMPLE)[2].split()
    assert code == 0
    assert verb.help.endswith(".")
    assert tuple(example[: len(verb.words)]) == verb.words
    assert parsed(example)


@pytest.mark.parametrize("verb", VERBS, ids=str)
def test_every_verb_answers_in_json_when_asked(verb: Verb) -> None:
    assert "--json" in verb.options


def test_walk_over_the_command_line_finds_its_verbs() -> None:
    found = {str(verb) for verb in VERBS}

    assert {"demo", "local up", "place", "status", "fault off", "dlq redrive", "capacity"} <= found
