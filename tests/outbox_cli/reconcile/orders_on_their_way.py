"""Orders on their way: accepted, relayed, delivered and consumed by the handlers' own code."""

from typing import Any

import orders
from outbox.commit import commit
from outbox.consume import consume
from outbox.retry import Backoff
from outbox_cli.reconcile.findings import Named
from outbox_cli.stack.deployed import Stack

NOW = 1_800_000_000.0
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


def store(stack: Stack, event_id: str, body: Any, **attributes: Any) -> None:
    """An outbox row as some other program may have written it."""
    row = {
        "PK": {"S": f"OUTBOX#{event_id}"},
        "SK": {"S": "EVENT"},
        "kind": {"S": "OUTBOX"},
        "event_id": {"S": event_id},
        **({} if body is None else {"body": body}),
        **attributes,
    }
    stack.clients("dynamodb").put_item(TableName=stack["source_table_name"], Item=row)


def names(named: Named) -> list[str]:
    return sorted(named.reasons)


def waiting(stack: Stack) -> list[dict[str, Any]]:
    answer = stack.clients("sqs").receive_message(QueueUrl=stack["queue_url"], MaxNumberOfMessages=10)
    return [{"messageId": each["MessageId"], "body": each["Body"]} for each in answer.get("Messages", [])]


def consume_all(stack: Stack) -> int:
    messages = waiting(stack)
    answer = consume(
        stack.clients("dynamodb"),
        table=stack["projection_table_name"],
        records=messages,
        parse=orders.sales().parse,
        backoff=PATIENT,
    )
    assert answer == {"batchItemFailures": []}
    return len(messages)
