"""Inputs of the functions by number: commands, stream records, messages."""

import json
from typing import Any

FIRST_AMOUNT_CENTS = 100
MAXIMUM_AMOUNT_CENTS = 1_000_000


def order(number: int) -> dict[str, Any]:
    """A command; no two numbers give the same order."""
    amount_cents = FIRST_AMOUNT_CENTS + number % (MAXIMUM_AMOUNT_CENTS - FIRST_AMOUNT_CENTS)
    return {"order_id": f"order-{number}", "amount_cents": amount_cents}


def body(number: int) -> str:
    """The body of the event that this order's command stores."""
    placed = order(number)
    content = {"event_id": f"order-created:{placed['order_id']}", "type": "OrderCreated", **placed}
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


def message(number: int) -> dict[str, Any]:
    """The event as the queue's mapping delivers it, without what no handler looks at."""
    return {"messageId": str(number), "receiptHandle": "r", "body": body(number), "eventSource": "aws:sqs"}


def stream_record(number: int) -> dict[str, Any]:
    """The insertion of the event's row as the stream's mapping delivers it."""
    event_id = f"order-created:order-{number}"
    row = {
        "PK": f"OUTBOX#{event_id}",
        "SK": "EVENT",
        "kind": "OUTBOX",
        "event_id": event_id,
        "body": body(number),
    }
    image = {name: {"S": value} for name, value in row.items()}
    return {"eventName": "INSERT", "dynamodb": {"SequenceNumber": str(number), "NewImage": image}}
