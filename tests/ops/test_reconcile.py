"""Reconciliation, with the real handler code at both ends of it."""

from typing import Any

import pytest

import orders
from ops.reconcile import reconcile
from ops.stack import Stack
from ops.status import Totals, read_totals
from outbox.commit import commit
from outbox.consume import consume
from outbox.retry import Backoff

PATIENT = Backoff(remaining_seconds=lambda: 10.0, sleep=lambda _: None)


def accept(stack: Stack, order_id: str, amount_cents: int) -> None:
    order = orders.parse_command({"order_id": order_id, "amount_cents": amount_cents})
    commit(
        stack.clients("dynamodb"),
        table=stack["source_table_name"],
        state=orders.state_of(order),
        event=orders.event_of(order),
        request_fields=orders.REQUEST_FIELDS,
        backoff=PATIENT,
    )


def relay(stack: Stack, order_id: str) -> None:
    """What the relay does: sends the stored body, and marks nothing."""
    key = {"PK": {"S": f"OUTBOX#order-created:{order_id}"}, "SK": {"S": "EVENT"}}
    row = stack.clients("dynamodb").get_item(TableName=stack["source_table_name"], Key=key)["Item"]
    stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=row["body"]["S"])


def waiting(stack: Stack) -> list[dict[str, Any]]:
    answer = stack.clients("sqs").receive_message(QueueUrl=stack["queue_url"], MaxNumberOfMessages=10)
    return [{"messageId": each["MessageId"], "body": each["Body"]} for each in answer.get("Messages", [])]


def consume_all(stack: Stack) -> int:
    messages = waiting(stack)
    answer = consume(
        stack.clients("dynamodb"),
        table=stack["projection_table_name"],
        records=messages,
        parse=orders.parse_event,
        backoff=PATIENT,
    )
    assert answer == {"batchItemFailures": []}
    return len(messages)


def test_reconcile_sends_the_stored_body_of_an_event_that_was_never_applied(stack: Stack) -> None:
    accept(stack, "lost-1", 700)

    found = reconcile(stack)

    consume_all(stack)
    assert (found.stored, found.sent, found.not_sent) == (1, ["order-created:lost-1"], {})
    assert read_totals(stack) == Totals(1, 700)


def test_reconcile_run_twice_sends_nothing_for_what_is_applied(stack: Stack) -> None:
    accept(stack, "lost-1", 700)
    reconcile(stack)
    consume_all(stack)

    again = reconcile(stack)

    assert (again.stored, again.sent) == (1, [])
    assert waiting(stack) == []


def test_b9_recovery_sends_the_body_itself_and_says_how_many(stack: Stack) -> None:
    for number in range(3):
        accept(stack, f"lost-{number}", 100)

    found = reconcile(stack)

    assert len(found.sent) == 3
    assert consume_all(stack) == 3


@pytest.mark.parametrize("sweep_first", [True, False])
def test_d4_sweep_and_relay_race_counts_once(stack: Stack, sweep_first: bool) -> None:
    accept(stack, "q-4", 400)

    if sweep_first:
        reconcile(stack)
    relay(stack, "q-4")
    if not sweep_first:
        reconcile(stack)
    delivered = consume_all(stack)

    assert delivered == 2
    assert read_totals(stack) == Totals(1, 400)


def test_d4_crash_after_the_send_and_before_the_mark_only_sends_again(stack: Stack) -> None:
    accept(stack, "q-4", 400)
    reconcile(stack)  # sent; the process dies before any consumer has stored the marker

    reconcile(stack)
    delivered = consume_all(stack)

    assert delivered == 2
    assert read_totals(stack) == Totals(1, 400)


def test_reconcile_dry_run_names_events_and_sends_none(stack: Stack) -> None:
    accept(stack, "lost-1", 700)

    found = reconcile(stack, dry_run=True)

    assert found.not_sent == {"order-created:lost-1": "dry run"}
    assert waiting(stack) == []


def test_reconcile_names_a_row_whose_body_can_never_be_sent_and_goes_on(stack: Stack) -> None:
    poison = {
        "PK": {"S": "OUTBOX#poison"},
        "SK": {"S": "EVENT"},
        "kind": {"S": "OUTBOX"},
        "event_id": {"S": "poison"},
    }
    stack.clients("dynamodb").put_item(TableName=stack["source_table_name"], Item=poison)
    accept(stack, "lost-1", 700)

    found = reconcile(stack)

    assert found.sent == ["order-created:lost-1"]
    assert list(found.not_sent) == ["poison"]
    assert "MessageBody" in found.not_sent["poison"]


def test_reconcile_passes_over_rows_of_others(stack: Stack) -> None:
    foreign = {"PK": {"S": "SETTINGS"}, "SK": {"S": "OURS"}}
    for table in ("source_table_name", "projection_table_name"):
        stack.clients("dynamodb").put_item(TableName=stack[table], Item=foreign)
    accept(stack, "lost-1", 700)

    found = reconcile(stack)

    assert (found.stored, found.sent, found.not_sent) == (1, ["order-created:lost-1"], {})
