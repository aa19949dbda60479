"""The verbs `place` and `send`: what goes out, from where, and what they say of what can never go out."""

import io
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import orders
from outbox.bodies import MAXIMUM_BODY_BYTES
from outbox.wire import to_wire
from outbox_cli.orders import commands
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.verbs import run_verb

INVENTORY = Path(__file__).parents[3] / "examples" / "inventory"
WITHOUT_CLIENTS = Stack("test", {"domain": "orders"}, pytest.fail)
BODY = '{"event_id": "é",\n "not": "an order"}\n'


@pytest.fixture
def here(stack: Stack, monkeypatch: pytest.MonkeyPatch) -> Stack:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: stack)
    return stack


def sent(stack: Stack) -> list[str]:
    answer = stack.clients("sqs").receive_message(QueueUrl=stack["queue_url"], MaxNumberOfMessages=10)
    return [each["Body"] for each in answer.get("Messages", [])]


def test_send_of_a_file_puts_its_text_on_the_queue_unchanged(
    here: Stack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "body").write_text(BODY, encoding="utf-8")

    code = run_verb(monkeypatch, "send", str(tmp_path / "body"))

    assert (code, sent(here)) == (0, [BODY])


def test_send_of_a_stored_event_keeps_the_headers_of_its_row(
    here: Stack, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = replace(
        orders.event_of(orders.Order("a", 700)), headers={"tenant": "x"}, extras={"expires_at": 9}
    )
    here.clients("dynamodb").put_item(TableName=here["source_table_name"], Item=to_wire(event.row()))

    run_verb(monkeypatch, "send", "a", "700")

    [message] = here.clients("sqs").receive_message(
        QueueUrl=here["queue_url"], MessageAttributeNames=["All"]
    )["Messages"]
    assert {name: value["StringValue"] for name, value in message["MessageAttributes"].items()} == {
        "tenant": "x",
        "row_expires_at": "9",
    }


def test_send_of_a_dash_reads_standard_input(here: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BODY.encode())))

    code = run_verb(monkeypatch, "send", "-")

    assert (code, sent(here)) == (0, [BODY])


def test_send_of_an_order_puts_its_event_on_the_queue(here: Stack, monkeypatch: pytest.MonkeyPatch) -> None:
    code = run_verb(monkeypatch, "send", "order-a", "5")

    assert code == 0
    assert sent(here) == [
        '{"amount_cents":5,"event_id":"order-created:order-a","order_id":"order-a","type":"OrderCreated"}'
    ]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, r"cannot be read from .*body \(No such file or directory\): name a file or -, or an order"),
        (b"\xff", r"body is not text in UTF-8, which is all that SQS takes: convert it first\."),
        (b"", r"body cannot be sent: the body is empty\."),
        (b"bell \x07", r"the body has the character U\+0007, which SQS refuses\."),
        (b"x" * (MAXIMUM_BODY_BYTES + 1), r"the body has 1048577 bytes, SQS accepts 1048576\."),
    ],
    ids=["missing", "not-text", "empty", "refused-character", "too-long"],
)
def test_send_of_what_is_no_body_is_one_sentence_before_any_call_and_exit_code_2(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    content: bytes | None,
    sentence: str,
) -> None:
    if content is not None:
        (tmp_path / "body").write_bytes(content)

    code = run_verb(monkeypatch, "send", str(tmp_path / "body"))

    said = capsys.readouterr()
    assert (code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert re.search(sentence, said.err)


@pytest.mark.parametrize(
    ("order", "sentence"),
    [
        (
            ("Order A", "5"),
            "order_id must be text of 1-40 lowercase letters, .* is str of length 7",
        ),
        (
            ("", "5"),
            "order_id must be text of 1-40 lowercase letters, .* is str of length 0",
        ),
        (("order-a", "0"), "amount_cents must be a whole number from 1 to 1000000, but is int 0"),
        (("order-a", "-5"), "amount_cents must be a whole number from 1 to 1000000, but is int -5"),
        (("order-a", "1000001"), "amount_cents must be a whole number from 1 to 1000000, but is int 1000001"),
        (("order-a", "x"), "amount_cents must be a whole number from 1 to 1000000, but is str of length 1"),
        (
            ("a", "5", "6"),
            "A command of the domain 'orders' takes 2 values, order_id, amount_cents .* but got 3",
        ),
    ],
)
@pytest.mark.parametrize("verb", ["place", "send"])
def test_command_that_is_never_accepted_is_said_before_any_call_and_exit_code_2(
    verb: str,
    order: tuple[str, ...],
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: WITHOUT_CLIENTS)

    code = run_verb(monkeypatch, verb, *order)

    assert code == 2
    assert re.fullmatch(f"{sentence}\\.\n", capsys.readouterr().err)


def test_place_on_a_stack_of_the_programs_own_domain_sends_its_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sent: list[Any] = []

    class Functions:
        def invoke(self, **request: Any) -> Any:
            sent.append(json.loads(request["Payload"]))
            return {"Payload": io.BytesIO(b'{"result": "ACCEPTED", "event_id": "stock-reserved:r-1"}')}

    outputs = {"domain": "inventory", "command_function_name": "accept"}
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: Stack("stock", outputs, lambda _: Functions()))
    monkeypatch.chdir(INVENTORY)

    code = run_verb(monkeypatch, "place", "r-1", "tea", "5", "north")

    assert (code, capsys.readouterr().out) == (0, "ACCEPTED stock-reserved:r-1\n")
    assert sent == [{"reservation_id": "r-1", "article": "tea", "pieces": 5, "warehouse": "north"}]


def test_fault_on_for_an_order_that_cannot_exist_is_wrong_use(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run_verb(monkeypatch, "fault", "on", "Order A")

    assert (code, capsys.readouterr().err.partition(" must ")[0]) == (2, "order_id")
