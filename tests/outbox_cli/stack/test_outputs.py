"""How a stack on AWS is found: by the Pulumi CLI, in a file, on standard input; and what is said if it is not."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from outbox_cli.errors import OperatorError, StackUnavailableError
from outbox_cli.stack.deployed import stack_on_aws
from outbox_cli.stack.outputs import one_outbox, read_outputs, region_of
from tests.outbox_cli.verbs import OUTPUTS, Verb, files_of_examples, outputs_file, run_verb, verbs_on_a_stack


def pulumi_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """A Pulumi CLI that does what the script says."""
    program = folder / "pulumi"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_outputs_come_from_the_pulumi_cli_by_the_name_of_the_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = outputs_file(tmp_path)
    pulumi_on_path(tmp_path, monkeypatch, f'echo "$@" > {tmp_path}/asked; cat {path}')

    outputs = read_outputs("dev")

    assert outputs == OUTPUTS
    assert (tmp_path / "asked").read_text() == "stack output --json --non-interactive --stack dev\n"


def test_outputs_in_a_file_need_no_pulumi_cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    stack = stack_on_aws(outputs_file(tmp_path))

    assert dict(stack.outputs) == OUTPUTS
    assert stack.clients("sqs").meta.region_name == "eu-central-1"
    assert stack.clients("sqs") is stack.clients("sqs")


def test_outputs_are_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(OUTPUTS)))

    assert read_outputs("-") == OUTPUTS


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "must be the object of `pulumi stack output --json`, but is something else"),
        ("[]", "must be the object of"),
        ("{}", "has no ARN as 'queue_arn': .*docs/reuse.md"),
        ('{"queue_arn": "queue"}', "has no ARN as 'queue_arn'"),
    ],
)
def test_file_without_outputs_says_what_is_wanted(tmp_path: Path, content: str, sentence: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(content)

    with pytest.raises(StackUnavailableError, match=sentence):
        stack_on_aws(str(path))


OTHER_REGION = {"queue_arn": "arn:aws:sqs:eu-west-1:000000000000:other"}
BOTH = {"books": OUTPUTS, "games": OTHER_REGION, "version": "1"}


@pytest.mark.parametrize(
    ("outputs", "name", "region"),
    [
        (OUTPUTS, None, "eu-central-1"),
        ({"books": OTHER_REGION}, None, "eu-west-1"),
        (BOTH, "books", "eu-central-1"),
        (BOTH, "games", "eu-west-1"),
        (OUTPUTS | {"games": OTHER_REGION}, None, "eu-central-1"),
        (OUTPUTS | {"games": OTHER_REGION}, "games", "eu-west-1"),
    ],
)
def test_outbox_is_the_one_of_its_name_or_the_only_one(
    outputs: dict[str, Any], name: str | None, region: str
) -> None:
    assert region_of(one_outbox(outputs, name, "dev")) == region


@pytest.mark.parametrize(
    ("outputs", "name", "sentence"),
    [
        (BOTH, None, "dev has several outboxes: choose one of books, games with --outbox."),
        (BOTH, "toys", "dev has no outbox 'toys': choose one of books, games."),
        (BOTH, "version", "dev has no outbox 'version': choose one of books, games."),
        (OUTPUTS, "books", "dev has no outbox 'books': it has only one, so leave --outbox out."),
    ],
)
def test_outbox_that_cannot_be_told_names_those_there_are(
    outputs: dict[str, Any], name: str | None, sentence: str
) -> None:
    with pytest.raises(StackUnavailableError) as refused:
        one_outbox(outputs, name, "dev")

    assert str(refused.value) == sentence


def test_file_that_is_not_there_says_how_to_make_it(tmp_path: Path) -> None:
    with pytest.raises(StackUnavailableError, match=r"\(No such file or directory\): make it with `pulumi"):
        read_outputs(str(tmp_path / "dev.json"))


def test_file_that_is_not_text_says_so(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_bytes(b"\xff")

    with pytest.raises(StackUnavailableError, match=r"\(it is not text\)"):
        read_outputs(str(tmp_path / "dev.json"))


def test_empty_name_is_not_taken_for_the_stack_chosen_last(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_verb(monkeypatch, "status", "--aws", "")

    assert (code, capsys.readouterr().err) == (
        2,
        "--aws names no stack: write its name, or leave --aws out for the local AWS.\n",
    )


def test_missing_pulumi_cli_says_the_two_other_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")

    with pytest.raises(StackUnavailableError, match=r"no `pulumi` on PATH: install it, name a file"):
        read_outputs("dev")


def test_pulumi_cli_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulumi_on_path(tmp_path, monkeypatch, "exec sleep 60")
    monkeypatch.setattr("outbox_cli.stack.outputs.PULUMI_TIMEOUT_SECONDS", 0.2)

    with pytest.raises(OperatorError, match=r"no outputs of the stack 'dev' within 0 s: check"):
        read_outputs("dev")


@pytest.mark.parametrize("verb", verbs_on_a_stack(), ids=str)
def test_stack_that_pulumi_does_not_know_is_one_sentence_and_exit_code_2(
    verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pulumi_on_path(tmp_path, monkeypatch, "echo \"error: no stack named 'nope' found\" >&2; exit 255")
    monkeypatch.chdir(tmp_path)
    files_of_examples(tmp_path)

    code = run_verb(monkeypatch, *verb.example, "--aws", "nope")

    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err == (
        "The Pulumi CLI gives no outputs of the stack 'nope' (no stack named 'nope' found): "
        "`pulumi stack ls` names the stacks there are.\n"
    )
