"""Each verb, each option and each argument with a value that can never be right: exit code 2, before any call."""

import subprocess
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import boto3
import pytest
import typer.main

from outbox_cli.demo import commands as demo
from outbox_cli.demo import run as demo_run
from outbox_cli.main import app
from outbox_local.running import STATE_FOLDER_VARIABLE
from tests.outbox_cli.verbs import EXAMPLE, all_verbs, files_of_examples, outputs_file, run_verb

NO_NUMBERS = ("", "x", "nan", "inf", "-inf", "1e999")
# Of each option or argument that is no number within bounds and no choice: what can never be right.
WRONG_TEXTS: dict[str, tuple[str, ...]] = {
    "on_aws": ("", "missing.json", "damaged.json", "undeployed.json"),
    "outbox": (),  # only its stack tells which there are: stack/test_outputs.py
    "stack": ("", "nope", "../dev"),
    "region": ("", "x", "US East", "eu-central"),
    "account": ("", "12", "12345678901x"),
    "partition": ("", "nope", "AWS", "aws:x"),
    "since": ("", "yesterday", "3000-01-01", "1969-12-31"),
    "html": ("missing/page.html", "."),
    "event_or_order": ("", "x" * 1025),
    "event_id": ("", "x" * 1025),
    "order_id": ("", "ORDER B!", "x" * 41),
    "body": (),  # a file, or an order that the consumer shall refuse; the tests of `send` and `correct` have the rest
    "message_ids": (),  # any text may be one
    "values": ("", "ORDER B!", "x" * 41),
    "events_per_second": ("", "x", "nan", "-1"),
    "payload_bytes": ("", "x", "1.5", "-1"),
    "duplicates": ("", "x", "nan", "-1", "2"),
}
AMOUNTS = ("", "x", "nan", "-1", "1_000", "1e99")
OF_ACCOUNT = {"account", "partition", "region"}


def wrong_values(parameter: Any) -> tuple[str, ...]:
    bounds = [bound for bound in (parameter.min, parameter.max) if bound is not None]
    if bounds:
        beyond = [parameter.min - 1, *([parameter.max + 1] if parameter.max is not None else [])]
        return (*NO_NUMBERS, *map(str, beyond), *(["9" * 400] if parameter.max is not None else []))
    kind = parameter.type_descriptor.annotation
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ("", "x")
    if parameter.name in WRONG_TEXTS:
        return WRONG_TEXTS[parameter.name]
    assert parameter.metavar == "NUMBER", f"Say in WRONG_TEXTS what {parameter.name} may never be."
    return AMOUNTS


def wrong_commands() -> Iterator[list[str]]:
    for verb in all_verbs():
        command: Any = typer.main.get_command(app)
        for word in verb.words:
            command = command.commands[word]
        given = verb.epilog.removeprefix(EXAMPLE).split()[len(verb.words) :]
        arguments = [each for each in command.params if type(each).__name__ == "TyperArgument"]
        options = [each for each in command.params if type(each).__name__ == "TyperOption"]
        for option in options:
            if option.is_flag:
                continue
            for value in wrong_values(option):
                words = [*verb.words, *_without(given, option)]
                if option.name in OF_ACCOUNT - {"account"} and verb.words[0] == "permissions":
                    words = [*verb.words, "--account", "123456789012"]
                yield [*words, f"{option.opts[0]}={value}"]
        plain = [each for each in given if not each.startswith("--")]
        for place, argument in enumerate(arguments):
            for value in wrong_values(argument) if place < len(plain) else ():
                rest = plain[place + 1 :] if argument.nargs == -1 else plain[place + 1 : len(arguments)]
                # The stack says what a command looks like.
                stack = ["--aws", "dev"] if argument.name == "values" else []
                yield [*verb.words, *stack, *plain[:place], value, *rest]


def _without(given: list[str], option: Any) -> list[str]:
    if option.opts[0] not in given:
        return given
    place = given.index(option.opts[0])
    return given[:place] + given[place + 2 :]


COMMANDS = list(wrong_commands())


def test_wrong_value_of_any_option_or_argument_is_exit_code_2_before_any_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def called(*_: Any, **__: Any) -> Any:
        raise AssertionError("something was called")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(STATE_FOLDER_VARIABLE, str(tmp_path / "state"))
    files_of_examples(tmp_path)
    deployed = outputs_file(tmp_path)
    (tmp_path / "damaged.json").write_text("{")
    (tmp_path / "undeployed.json").write_text("{}")
    monkeypatch.setattr(boto3, "Session", lambda **_: SimpleNamespace(client=called))
    monkeypatch.setattr(demo, "start_in_background", called)
    monkeypatch.setattr(demo_run, "walkthrough", called)
    monkeypatch.setattr(subprocess, "run", called)
    monkeypatch.setattr(subprocess, "Popen", called)
    others = {}

    for command in COMMANDS:
        words = [
            deployed if before == "--aws" else word
            for before, word in zip(["", *command], command, strict=False)
        ]
        code = run_verb(monkeypatch, *words)
        said = capsys.readouterr()
        if (code, said.out) != (2, "") or not said.err.strip():
            others[" ".join(command)[:100]] = (code, said.out[:60], said.err[-150:])

    assert not others, "\n".join(f"{k}: {v}" for k, v in others.items())
    assert len(COMMANDS) >= 280
    print(f"{len(COMMANDS)} wrong commands")  # noqa: T201 - the floor's figure


def test_wrong_choice_is_told_in_our_words_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_verb(monkeypatch, "dlq", "redrive", "--only", "x")

    said = capsys.readouterr().err
    assert said.endswith("Error: Invalid value for '--only': 'x' is not one of 'applied', 'unapplied'.\n")
