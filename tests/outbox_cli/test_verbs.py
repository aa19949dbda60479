"""The operator's verbs on a stack in memory, and what they say when something is missing."""

import io
import json
from decimal import Decimal
from typing import Any

import pytest

from outbox_cli.demo.show import Quiet
from outbox_cli.demo.stepping import Step, StepResult, run_steps
from outbox_cli.errors import OperatorError, RefusedOrderError, StackUnavailableError
from outbox_cli.orders.sending import order_created_body, place
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts, Totals, count_messages, plain_item, read_totals, scan
from outbox_cli.trace.facts import trace_event
from outbox_cli.waiting import Wait
from tests.handlers.support import Recorder


def test_totals_before_the_first_event_are_zero(stack: Stack) -> None:
    totals = read_totals(stack)

    assert totals == Totals(order_count=0, revenue_cents=0)


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 orders, 5 cents"), (1, "1 order, 5 cents"), (2, "2 orders, 5 cents")]
)
def test_totals_read_as_a_sentence_has_them(count: int, text: str) -> None:
    assert str(Totals(order_count=count, revenue_cents=5)) == text


def test_stored_numbers_print_as_json_integers() -> None:
    item = plain_item({"revenue_cents": {"N": "3500"}, "order_count": {"N": "2"}})

    text = json.dumps(item)

    assert text == '{"order_count": 2, "revenue_cents": 3500}'


def test_stored_fraction_is_printed_exactly() -> None:
    item = plain_item({"rate": {"N": "0.1"}})

    assert item == {"rate": str(Decimal("0.1"))}


def test_scan_reads_every_page(stack: Stack) -> None:
    wide = "x" * 300_000  # four of these fill more than DynamoDB's page of 1 MB
    for number in range(5):
        stack.clients("dynamodb").put_item(
            TableName="source", Item={"PK": {"S": f"{number}"}, "SK": {"S": "S"}, "wide": {"S": wide}}
        )

    items = list(scan(stack, "source"))

    assert len(items) == 5


def test_queue_counts_tell_available_from_in_flight(stack: Stack) -> None:
    sqs, url = stack.clients("sqs"), stack["queue_url"]
    for body in ("one", "two", "three"):
        sqs.send_message(QueueUrl=url, MessageBody=body)
    sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1)

    counts = count_messages(stack, url)

    assert counts == QueueCounts(available=2, in_flight=1)
    assert not counts.empty


def test_refused_order_carries_the_commands_own_sentence() -> None:
    refusal = {
        "errorType": "ConflictingRequest",
        "errorMessage": "ORDER#a already exists with another amount",
    }
    payload = io.BytesIO(json.dumps(refusal).encode())
    client = Recorder(None, {"FunctionError": "Unhandled", "Payload": payload})
    stack = Stack("test", {"command_function_name": "command"}, lambda _: client)

    with pytest.raises(RefusedOrderError, match=r"^ORDER#a already exists"):
        place(stack, {"order_id": "a", "amount_cents": 1})


def test_event_sent_by_hand_is_the_commands_own_body() -> None:
    body = order_created_body("order-a", 1000)

    assert body == (
        '{"amount_cents":1000,"event_id":"order-created:order-a","order_id":"order-a","type":"OrderCreated"}'
    )


def test_trace_leaves_out_an_event_whose_id_begins_the_same() -> None:
    lines = [
        {"timestamp": 2, "message": "APPLIED order-created:a\n"},
        {"timestamp": 1, "message": "APPLIED order-created:a-2\n"},
    ]

    class Logs:
        def get_paginator(self, _: str) -> "Logs":
            return self

        def paginate(self, logGroupName: str, **_: Any) -> list[dict[str, Any]]:  # noqa: N803 botocore's name
            return [{"events": lines if logGroupName == "consumer" else []}]

    stack = Stack(
        "test",
        {f"{name}_log_group_name": name for name in ("command", "relay", "consumer")},
        lambda _: Logs(),
    )

    found = trace_event(stack, "order-created:a")

    assert [(line.function, line.text) for line in found] == [("consumer", "APPLIED order-created:a")]


def test_missing_output_is_named_with_the_way_out() -> None:
    stack = Stack("old", {}, lambda _: None)

    with pytest.raises(StackUnavailableError, match=r"'old' exports no 'queue_url': .*docs/reuse.md"):
        stack["queue_url"]


def test_wait_ends_with_what_was_seen_last_when_time_is_up() -> None:
    clock = iter(range(100))
    wait = Wait(timeout_seconds=3, clock=lambda: float(next(clock)), sleep=lambda _: None)
    looks = iter("abcdefgh")

    seen = wait.until(lambda: next(looks), lambda _: False)

    assert seen == "c"


def test_step_that_does_not_hold_says_what_was_seen_and_ends_the_run() -> None:
    steps = [
        Step("first", "1", lambda: "1"),
        Step("second", "2", lambda: "3"),
        Step("third", "4", lambda: "4"),
    ]

    results = run_steps(steps, Quiet())

    assert results == [StepResult("first", True, "1", "1"), StepResult("second", False, "2", "3")]


def test_step_that_cannot_be_looked_at_says_why() -> None:
    def see() -> str:
        raise OperatorError("The queue is gone.")

    results = run_steps([Step("first", "1", see)], Quiet())

    assert results == [StepResult("first", False, "1", "OperatorError: The queue is gone.")]
