"""What `outbox trace` finds of an event, by its own id and by its order's."""

from typing import Any

import pytest

from outbox_cli.errors import OperatorError
from outbox_cli.stack.deployed import Stack
from outbox_cli.trace.facts import LogLine, read_facts
from tests.outbox_cli.reconcile.orders_on_their_way import accept, consume_all, relay

EVENT = "order-created:a"


class Logs:
    """Log groups that hold one line, which the consumer wrote."""

    def get_paginator(self, _: str) -> "Logs":
        return self

    def paginate(self, *, logGroupName: str, filterPattern: str = "") -> list[dict[str, Any]]:  # noqa: N803 botocore's
        written = {"timestamp": 7, "message": f'{{"message": "APPLIED {EVENT}"}}\n', "logStreamName": "one"}
        return [{"events": [written] if logGroupName == "consumer" and EVENT in filterPattern else []}]


@pytest.fixture
def logging_stack(stack: Stack) -> Stack:
    outputs = {
        **stack.outputs,
        **{f"{name}_log_group_name": name for name in ("command", "relay", "consumer")},
    }
    return Stack("test", outputs, lambda service: Logs() if service == "logs" else stack.clients(service))


@pytest.mark.parametrize("named", ["a", EVENT])
def test_event_is_found_by_its_id_and_by_its_order(logging_stack: Stack, named: str) -> None:
    accept(logging_stack, "a", 700)
    relay(logging_stack, "a")
    consume_all(logging_stack)

    facts = read_facts(logging_stack, named, now=lambda: 9.0)

    assert facts.event_id == EVENT
    assert facts.row is not None
    assert facts.row["event_id"] == EVENT
    assert facts.marker is not None
    assert facts.lines == [LogLine("consumer", 7, f"APPLIED {EVENT}", "one")]
    assert (facts.totals, facts.read_at_ms) == ({"order_count": 1, "revenue_cents": 700}, 9000)


def test_event_that_was_only_delivered_is_found_by_the_order_it_names(logging_stack: Stack) -> None:
    facts = read_facts(logging_stack, "a")

    assert (facts.event_id, facts.row, facts.marker) == (EVENT, None, None)
    assert len(facts.lines) == 1


def test_reconcilers_log_is_read_where_the_stack_has_one(logging_stack: Stack) -> None:
    outputs = {**logging_stack.outputs, "reconciler_log_group_name": "consumer"}

    facts = read_facts(Stack("test", outputs, logging_stack.clients), EVENT)

    assert [line.function for line in facts.lines] == ["consumer", "reconciler"]


def test_event_whose_id_reads_like_an_orders_is_found(logging_stack: Stack) -> None:
    row = {"PK": {"S": "OUTBOX#moved-7"}, "SK": {"S": "EVENT"}, "body": {"S": "{}"}}
    logging_stack.clients("dynamodb").put_item(TableName="source", Item=row)

    facts = read_facts(logging_stack, "moved-7")

    assert facts.event_id == "moved-7"


def test_event_of_a_stack_without_a_domain_is_found_by_its_own_id_alone(logging_stack: Stack) -> None:
    stack = Stack("test", {**logging_stack.outputs, "domain": None}, logging_stack.clients)

    facts = read_facts(stack, EVENT)

    assert (facts.event_id, facts.totals) == (EVENT, {})
    with pytest.raises(OperatorError, match="Neither tables nor logs know 'a'"):
        read_facts(stack, "a")


@pytest.mark.parametrize("named", ["nobody", "order-created:nobody", '"'])
def test_id_that_nobody_knows_is_a_sentence_with_the_next_step(logging_stack: Stack, named: str) -> None:
    with pytest.raises(OperatorError, match=r"Neither tables nor logs know .*: check the id"):
        read_facts(logging_stack, named)
