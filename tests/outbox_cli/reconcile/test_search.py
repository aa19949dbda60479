"""Reconciliation, with the real handler code at both ends of it."""

from dataclasses import replace
from typing import Any

import pytest

import orders
from outbox.rows import minute_of
from outbox_cli.errors import OperatorError
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals, read_totals
from tests.handlers.support import Recorder, error
from tests.outbox_cli.reconcile.orders_on_their_way import (
    NOW,
    accept,
    consume_all,
    names,
    relay,
    store,
    waiting,
)

MINUTE_SECONDS = 60
HOUR_SECONDS = 3600


def test_reconcile_sends_the_stored_body_of_an_event_that_was_never_applied(stack: Stack) -> None:
    accept(stack, "lost-1", 700)

    found = reconcile(stack, send=True)

    consume_all(stack)
    assert (found.rows, names(found.lost), found.sent, found.ok) == (1, ["order-created:lost-1"], 1, True)
    assert read_totals(stack) == Totals(1, 700)


def test_reconcile_leaves_events_out_that_the_consumer_does_not_get(stack: Stack) -> None:
    accept(stack, "lost-1", 700)
    other = replace(stack, outputs={**stack.outputs, "event_types": ["OrderShipped"]})
    own = replace(stack, outputs={**stack.outputs, "event_types": ["OrderCreated"]})

    found = [reconcile(each, send=True) for each in (other, own)]

    assert [(each.rows, each.sent, each.ok) for each in found] == [(0, 0, True), (1, 1, True)]


def test_reconcile_run_twice_sends_nothing_for_what_is_applied(stack: Stack) -> None:
    accept(stack, "lost-1", 700)
    reconcile(stack, send=True)
    consume_all(stack)

    again = reconcile(stack, send=True)

    assert (again.rows, again.applied, again.sent) == (1, 1, 0)
    assert waiting(stack) == []


def test_recovery_sends_the_body_itself_and_says_how_many(stack: Stack) -> None:
    for number in range(3):
        accept(stack, f"lost-{number}", 100)

    found = reconcile(stack, send=True)

    assert found.sent == 3
    assert consume_all(stack) == 3


@pytest.mark.parametrize("sweep_first", [True, False])
def test_sweep_and_relay_race_counts_once(stack: Stack, sweep_first: bool) -> None:
    accept(stack, "q-4", 400)

    if sweep_first:
        reconcile(stack, send=True)
    relay(stack, "q-4")
    if not sweep_first:
        reconcile(stack, send=True)
    delivered = consume_all(stack)

    assert delivered == 2
    assert read_totals(stack) == Totals(1, 400)


def test_crash_after_the_send_and_before_the_mark_only_sends_again(stack: Stack) -> None:
    accept(stack, "q-4", 400)
    reconcile(stack, send=True)  # sent; the process dies before any consumer has stored the marker

    reconcile(stack, send=True)
    delivered = consume_all(stack)

    assert delivered == 2
    assert read_totals(stack) == Totals(1, 400)


def test_reconcile_that_only_looks_names_events_and_sends_none(stack: Stack) -> None:
    accept(stack, "lost-1", 700)

    found = reconcile(stack)

    assert (names(found.lost), found.sent, found.ok) == (["order-created:lost-1"], 0, False)
    assert waiting(stack) == []


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (None, "the body is missing"),
        ({"M": {}}, "the body is of DynamoDB type M, not text"),
        ({"S": ""}, "the body is empty"),
        ({"S": "bell \u0007"}, "the body has the character U+0007, which SQS refuses"),
    ],
)
def test_reconcile_parks_a_row_whose_body_can_never_be_sent_and_goes_on(
    stack: Stack, body: Any, reason: str
) -> None:
    store(stack, "poison", body)
    accept(stack, "lost-1", 700)

    found = reconcile(stack, send=True)

    assert (names(found.lost), found.sent) == (["order-created:lost-1"], 1)
    assert found.parked.reasons == {"poison": reason}
    assert not found.ok


def test_reconcile_names_an_event_that_was_applied_with_other_content_and_never_sends_it(
    stack: Stack,
) -> None:
    accept(stack, "forged", 700)
    forged = orders.event_of(orders.Order("forged", 900)).body
    stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=forged)
    consume_all(stack)

    found = reconcile(stack, send=True)

    assert names(found.conflicting) == ["order-created:forged"]
    assert (found.lost.count, found.sent, found.ok) == (0, 0, False)
    assert waiting(stack) == []


def test_reconcile_takes_a_body_of_another_spelling_for_the_content_it_is(stack: Stack) -> None:
    body = (
        '{ "type": "OrderCreated", "amount_cents": 700, "order_id": "old", "event_id": "order-created:old" }'
    )
    store(stack, "order-created:old", {"S": body})
    relay(stack, "old")
    consume_all(stack)

    found = reconcile(stack)

    assert (found.applied, found.conflicting.count) == (1, 0)


def test_reconcile_passes_over_rows_of_others(stack: Stack) -> None:
    foreign = {"PK": {"S": "SETTINGS"}, "SK": {"S": "OURS"}}
    for table in ("source_table_name", "projection_table_name"):
        stack.clients("dynamodb").put_item(TableName=stack[table], Item=foreign)
    accept(stack, "lost-1", 700)

    found = reconcile(stack, send=True)

    assert (found.rows, names(found.lost), found.sent, found.ok) == (1, ["order-created:lost-1"], 1, True)


@pytest.mark.parametrize(
    ("age_seconds", "is_lost"), [(14 * MINUTE_SECONDS, False), (17 * MINUTE_SECONDS, True)]
)
def test_reconcile_leaves_a_row_younger_than_the_margin_on_its_way(
    stack: Stack, age_seconds: int, is_lost: bool
) -> None:
    body = {"S": orders.event_of(orders.Order("new", 700)).body}
    store(stack, "order-created:new", body, stored_minute={"S": minute_of(NOW - age_seconds)})

    found = reconcile(stack, send=True, margin_seconds=15 * MINUTE_SECONDS, now=lambda: NOW)

    assert (found.on_their_way, found.lost.count) == ((0, 1) if is_lost else (1, 0))
    assert len(waiting(stack)) == found.sent == found.lost.count


def test_reconcile_looks_twice_at_rows_that_tell_no_time(stack: Stack) -> None:
    accept(stack, "slow", 100)
    accept(stack, "lost", 200)
    waits = []

    def the_slow_one_arrives(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 1:
            relay(stack, "slow")
            consume_all(stack)

    found = reconcile(stack, margin_seconds=900, now=lambda: NOW, sleep=the_slow_one_arrives)

    assert waits == [10] * 90
    assert (found.rows, found.applied, names(found.lost)) == (2, 1, ["order-created:lost"])


@pytest.mark.parametrize(("expires_in_seconds", "is_lost"), [(0, False), (1, True)])
def test_reconcile_gives_up_what_its_owner_has_given_up(
    stack: Stack, expires_in_seconds: int, is_lost: bool
) -> None:
    body = {"S": orders.event_of(orders.Order("old", 700)).body}
    store(stack, "order-created:old", body, expires_at={"N": str(int(NOW) + expires_in_seconds)})

    found = reconcile(stack, send=True, now=lambda: NOW)

    assert (found.expired, found.lost.count) == ((0, 1) if is_lost else (1, 0))
    assert len(waiting(stack)) == found.lost.count


def test_reconcile_names_what_the_queue_did_not_accept_and_why(stack: Stack) -> None:
    accept(stack, "lost-1", 700)
    closed = Recorder(stack.clients("sqs"), default=error("AccessDenied"))
    clients = {"dynamodb": stack.clients("dynamodb"), "sqs": closed}

    found = reconcile(Stack("test", stack.outputs, clients.__getitem__), send=True)

    assert (names(found.lost), found.sent, found.ok) == (["order-created:lost-1"], 0, False)
    assert found.unsent.reasons["order-created:lost-1"].startswith("These credentials may not do")


def test_reconcile_since_without_an_index_says_what_to_do(stack: Stack) -> None:
    with pytest.raises(OperatorError, match="leave --since out to read the whole table, or deploy with"):
        reconcile(stack, since=NOW)
