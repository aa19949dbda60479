"""The verb `reconcile`: its answers, its exit codes, and the times it takes."""

import json
import time
from typing import Any

import pytest
import typer

from outbox_cli.reconcile import commands
from outbox_cli.reconcile.commands import parse_since
from outbox_cli.stack.deployed import Stack
from tests.handlers.support import Recorder, error
from tests.outbox_cli.reconcile.orders_on_their_way import accept, store, waiting
from tests.outbox_cli.verbs import run_verb
from tools.simulation.dynamodb import DynamoDB, Table

LOOK = ("reconcile", "--margin-seconds", "0", "--segments", "1")


@pytest.fixture(autouse=True)
def chosen(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: stack)


def test_verb_only_looks_and_names_what_is_lost(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(stack, "lost-1", 700)
    capsys.readouterr()

    code = run_verb(monkeypatch, *LOOK)

    lines = capsys.readouterr().out.splitlines()
    assert code == 1
    assert lines[0] == (
        "1 stored event: 0 applied, 0 on their way, 0 expired, 1 lost, 0 parked, 0 conflicting."
    )
    assert lines[1].startswith("0 sent again. ")
    assert "read units" in lines[1]
    assert lines[2:] == ["lost: order-created:lost-1"]
    assert waiting(stack) == []


def test_verb_that_sends_all_that_is_lost_is_done(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(stack, "lost-1", 700)
    capsys.readouterr()

    code = run_verb(monkeypatch, *LOOK, "--resend", "--json")

    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == 0
    assert (answer["rows"], answer["lost"], answer["sent"], answer["unsent"]) == (1, 1, 1, 0)
    assert answer["events"]["lost"] == ["order-created:lost-1"]
    assert len(waiting(stack)) == 1


def test_verb_that_finds_a_parked_event_says_why_and_ends_with_1(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store(stack, "poison", None)

    code = run_verb(monkeypatch, *LOOK, "--resend")

    assert code == 1
    assert "parked: poison (the body is missing)" in capsys.readouterr().out


def test_verb_of_an_empty_stack_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_verb(monkeypatch, *LOOK) == 0


@pytest.mark.parametrize(
    ("text", "epoch"),
    [
        ("2026-09-05T12:00", 1_788_609_600),
        ("2026-09-05T12:00Z", 1_788_609_600),
        ("2026-09-05T14:00+02:00", 1_788_609_600),
        ("2026-09-05", 1_788_566_400),
    ],
)
def test_since_a_time_is_utc_unless_it_says_otherwise(
    text: str, epoch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)

    assert parse_since(text) == epoch


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("90m", 5400), ("26h", 93_600), ("3d", 259_200)])
def test_since_a_duration_is_so_long_ago(text: str, seconds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)

    assert parse_since(text) == 1_800_000_000 - seconds


@pytest.mark.parametrize("text", ["", "yesterday", "26", "h", "-1h", "2026-13-01"])
def test_since_anything_else_is_wrong_use(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="neither a time such as"):
        parse_since(text)


@pytest.mark.parametrize("text", ["999999999d", "1969-12-31", "3000-01-01", "2027-01-15T08:00:01"])
def test_since_a_time_that_no_row_can_have_is_wrong_use(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)

    with pytest.raises(typer.BadParameter, match="must be a time from 1970 until now"):
        parse_since(text)


def test_verb_names_lost_events_in_order(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for order_id in ("c", "a", "d", "b"):
        accept(stack, order_id, 700)
    capsys.readouterr()

    run_verb(monkeypatch, *LOOK)

    assert capsys.readouterr().out.splitlines()[2:] == [f"lost: order-created:{each}" for each in "abcd"]


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        (error("AccessDenied"), "These credentials may not do Operation: ask whoever runs the account"),
        (OSError("broken"), "The queue did not take them (OSError: broken): repeat the command."),
    ],
)
def test_verb_says_once_at_the_end_why_nothing_was_sent(
    failure: Exception,
    reason: str,
    stack: Stack,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    accept(stack, "a", 700)
    accept(stack, "b", 700)
    clients = {"dynamodb": stack.clients("dynamodb"), "sqs": Recorder(None, default=failure)}
    closed = Stack("test", stack.outputs, clients.__getitem__)
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: closed)
    capsys.readouterr()

    code = run_verb(monkeypatch, *LOOK, "--resend")

    *others, last = capsys.readouterr().out.splitlines()[2:]
    assert code == 1
    assert others == ["lost: order-created:a", "lost: order-created:b"]
    assert last.startswith(f"not sent: {reason}")


def test_verb_that_read_the_index_alone_says_which_rows_it_has_not_seen(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clients = {"dynamodb": DynamoDB([Table("source"), Table("projection")]), "sqs": stack.clients("sqs")}
    outputs = {**stack.outputs, "reconcile_index_name": "by-minute"}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: Stack("test", outputs, clients.__getitem__))

    run_verb(monkeypatch, *LOOK, "--since", "3d")
    by_index = capsys.readouterr().out
    run_verb(monkeypatch, *LOOK, "--since", "3d", "--json")
    told = json.loads(capsys.readouterr().out)
    run_verb(monkeypatch, *LOOK)

    assert "a row stored before reconcileIndex was on" in by_index.splitlines()[-1]
    assert told["whole_table"] is False
    assert "reconcileIndex" not in capsys.readouterr().out


def test_verb_that_finds_lost_events_names_the_start_before_which_the_reconciler_leaves_them(
    stack: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    accept(stack, "a", 700)
    outputs = {**stack.outputs, "reconciler_start": "2026-09-05T12:00"}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: Stack("test", outputs, stack.clients))
    capsys.readouterr()

    run_verb(monkeypatch, *LOOK)

    assert capsys.readouterr().out.splitlines()[-1] == (
        "The reconciler's start is 2026-09-05T12:00; events stored before it count here too. "
        "`outbox reconcile --since 2026-09-05T12:00` leaves them out."
    )
