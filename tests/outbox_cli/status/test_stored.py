"""The totals, whatever number of shards they were spread over."""

from decimal import Decimal
from typing import Any

import pytest

import orders
from outbox.consume import consume
from outbox.retry import Backoff
from outbox.settings import aggregate_shard
from outbox_cli.orders.sending import order_created_body
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals, plain_item, read_totals, scan


def apply_order(stack: Stack, order_id: str, amount_cents: int, *, shards: int, shard: int) -> None:
    """One order, applied by a consumer that was started with this many shards and chose this one."""
    chosen = aggregate_shard({"AGGREGATE_SHARDS": str(shards)}, choose=lambda _: shard)
    consume(
        stack.clients("dynamodb"),
        table=stack["projection_table_name"],
        records=[{"messageId": "m", "body": order_created_body(order_id, amount_cents)}],
        parse=orders.sales(chosen).parse,
        backoff=Backoff(lambda: 10.0),
    )


def test_totals_add_up_all_shards_when_their_number_was_raised_and_lowered_again(stack: Stack) -> None:
    history = [(1, 0), (3, 2), (3, 0), (20, 19), (20, 10), (2, 1), (1, 0)]

    for number, (shards, shard) in enumerate(history):
        apply_order(stack, f"o-{number}", 10**number, shards=shards, shard=shard)

    assert read_totals(stack) == Totals(order_count=7, revenue_cents=1_111_111)
    assert len(list(scan(stack, "projection"))) == 7 + len({shard for _, shard in history})


def test_totals_of_other_items_beside_them_are_left_out(stack: Stack) -> None:
    apply_order(stack, "a", 5, shards=1, shard=0)
    for pk, sk in (("SALES", "TOTALS"), ("SALES", "OTHER"), ("SALES#2", "TOTAL")):
        stack.clients("dynamodb").put_item(
            TableName="projection",
            Item={"PK": {"S": pk}, "SK": {"S": sk}, "order_count": {"N": "1"}, "revenue_cents": {"N": "1"}},
        )

    assert read_totals(stack) == Totals(order_count=1, revenue_cents=5)


def test_totals_of_another_domain_under_this_key_are_no_orders(stack: Stack) -> None:
    item = {"PK": {"S": "SALES"}, "SK": {"S": "TOTAL"}, "pieces": {"N": "5"}}
    stack.clients("dynamodb").put_item(TableName="projection", Item=item)

    assert read_totals(stack) == Totals(order_count=0, revenue_cents=0)


def test_totals_on_several_pages_are_all_read() -> None:
    shard = {
        "PK": {"S": "SALES"},
        "SK": {"S": "TOTAL"},
        "order_count": {"N": "1"},
        "revenue_cents": {"N": "2"},
    }
    pages: list[dict[str, Any]] = [
        {"Items": [shard]},
        {"Items": []},
        {"Items": [shard | {"SK": {"S": "TOTAL#1"}}]},
    ]

    class Paged:
        def get_paginator(self, _: str) -> "Paged":
            return self

        def paginate(self, **request: Any) -> list[dict[str, Any]]:
            assert request["ConsistentRead"] is True
            return pages

    stack = Stack("test", {"projection_table_name": "projection"}, lambda _: Paged())

    assert read_totals(stack) == Totals(order_count=2, revenue_cents=4)


@pytest.mark.parametrize("number", ["1E+120", "1" + "0" * 120, "9" * 39, "1.5", "1E-130"])
def test_number_of_any_length_becomes_a_plain_value(number: str) -> None:
    plain = plain_item({"n": {"N": number}, "inside": {"M": {"n": {"N": number}}}})

    assert Decimal(plain["n"]) == Decimal(number)
