"""Reconciliation of rows that some other program has written: none of them hides a lost event beside it."""

from typing import Any

import pytest

import orders
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from tests.outbox_cli.reconcile.orders_on_their_way import NOW, accept, names, store

BODY = {"S": orders.event_of(orders.Order("odd", 700)).body}


@pytest.mark.parametrize(
    "attributes",
    [
        {"expires_at": {"N": str(NOW + 0.5)}},
        {"expires_at": {"S": "yesterday"}},
        {"stored_minute": {"S": "2026-09-05T12:00Z"}},
        {"stored_minute": {"S": "yesterday"}},
        {"stored_minute": {"N": "1"}},
    ],
)
def test_reconcile_takes_a_row_whose_times_are_none_for_one_that_tells_none(
    stack: Stack, attributes: dict[str, Any]
) -> None:
    store(stack, "order-created:odd", BODY, **attributes)
    accept(stack, "sound", 700)

    found = reconcile(stack, send=True, margin_seconds=900, now=lambda: NOW, sleep=lambda _: None)

    assert names(found.lost) == ["order-created:odd", "order-created:sound"]
    assert found.sent == 2


def test_reconcile_gives_up_a_row_that_expired_a_fraction_of_a_second_ago(stack: Stack) -> None:
    store(stack, "order-created:odd", BODY, expires_at={"N": str(NOW - 0.5)})

    found = reconcile(stack, now=lambda: NOW)

    assert (found.expired, found.lost.count) == (1, 0)


@pytest.mark.parametrize("body", [None, {"M": {}}, {"S": ""}, {"S": "bell \u0007"}])
def test_reconcile_waits_for_no_row_whose_body_can_never_be_sent(stack: Stack, body: Any) -> None:
    store(stack, "poison", body)

    found = reconcile(stack, margin_seconds=900, now=lambda: NOW, sleep=_never)

    assert names(found.parked) == ["poison"]


def _never(seconds: float) -> None:
    raise AssertionError(f"waits {seconds} s for an event that is on its way to nowhere")
