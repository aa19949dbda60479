"""Corrections that are refused, or that meet a row which changed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from outbox_cli.parked import commands
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.dead_letters.world import Changed
from tests.outbox_cli.parked.rows import EVENT, RIGHT, Typed
from tests.outbox_cli.reconcile.orders_on_their_way import store, waiting
from tests.outbox_cli.verbs import run_verb


@pytest.mark.parametrize(
    "verbs",
    [["right.json"], ["--give-up", "right.json"], ["--give-up"]],
    ids=["corrected", "corrected after all", "abandoned"],
)
def test_change_whose_first_answer_was_lost_is_its_own_and_goes_on(
    stack: Stack, typed: Typed, monkeypatch: pytest.MonkeyPatch, verbs: list[str]
) -> None:
    store(stack, EVENT, None)
    for each in verbs[:-1]:
        typed(EVENT, each)
    dynamodb = stack.clients("dynamodb")

    def sent_twice_by_the_sdk(**request: Any) -> Any:
        dynamodb.update_item(**request)
        return dynamodb.update_item(**request)

    twice = Changed(dynamodb, update_item=sent_twice_by_the_sdk)
    clients = {"dynamodb": twice, "sqs": stack.clients("sqs")}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: replace(stack, clients=clients.__getitem__))

    code, _, said = typed(EVENT, verbs[-1])

    assert (code, said, len(waiting(stack))) == (0, "", verbs.count("right.json"))


def test_row_that_changes_meanwhile_is_left_as_it_is(
    stack: Stack, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(stack, EVENT, None)
    dynamodb = stack.clients("dynamodb")

    def beaten(**request: Any) -> Any:
        store(stack, EVENT, {"S": "of somebody else"})
        return dynamodb.update_item(**request)

    late = Changed(dynamodb, update_item=beaten)
    clients = {"dynamodb": late, "sqs": stack.clients("sqs")}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: replace(stack, clients=clients.__getitem__))

    code, _, said = typed(EVENT, "right.json")

    assert (code, said) == (1, f"The row of {EVENT} changed meanwhile: repeat the command.\n")
    assert waiting(stack) == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((EVENT,), "Either a body or --give-up is wanted: outbox correct EVENT FILE."),
        ((EVENT, "right.json", "--give-up"), "Either a body or --give-up is wanted"),
        (("order-created:b", "right.json"), f"The body is of the event {EVENT}, not of order-created:b."),
        ((EVENT, "none.json"), "The body cannot be read from none.json"),
    ],
)
def test_wrong_use_is_said_before_any_call(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "right.json").write_text(RIGHT)

    code = run_verb(monkeypatch, "correct", *arguments)

    assert code == 2
    assert capsys.readouterr().err.startswith(sentence)


@pytest.mark.parametrize(
    "body", ["{}", "[]", '{"event_id": 1}', '{"event_id": "order-created:a", "cents": 1.5}']
)
def test_body_that_no_consumer_can_read_is_wrong_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, body: str
) -> None:
    (tmp_path / "wrong").write_text(body)

    code = run_verb(monkeypatch, "correct", EVENT, str(tmp_path / "wrong"))

    assert code == 2
    assert capsys.readouterr().err.startswith("No consumer can read this body: ")
