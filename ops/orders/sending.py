"""Places orders through the command, and sends application events by hand."""

import json
import re
from typing import Any

from ops.errors import OperatorError, RefusedOrderError
from ops.stack.deployed import Stack

ORDER_ID = re.compile(r"[a-z0-9-]{1,40}")  # as handlers/orders.py has it; a test holds them together
LONGEST_SHOWN = 60


def place(stack: Stack, order: dict[str, Any]) -> dict[str, Any]:
    """Invokes the command with an order and returns its answer: `result` and `event_id`.

    Raises:
        RefusedOrderError: the command refused the order or failed; the message is the function's own.
    """
    answer = stack.clients("lambda").invoke(
        FunctionName=stack["command_function_name"], Payload=json.dumps(order).encode()
    )
    payload = json.loads(answer["Payload"].read())
    if answer.get("FunctionError"):
        raise RefusedOrderError(payload.get("errorMessage") or f"The command failed: {payload}")
    return dict(payload)


def require_order_id(order_id: str) -> str:
    """An order id that the command could have accepted.

    Raises:
        OperatorError: no such order can exist.
    """
    if not ORDER_ID.fullmatch(order_id):
        raise OperatorError(
            f"order_id is {order_id[:LONGEST_SHOWN]!r}; accepted are 1-40 lowercase letters, digits or hyphens."
        )
    return order_id


def order_created_body(order_id: str, amount_cents: int) -> str:
    """The application event of an order, as the command stores it and the relay sends it."""
    event = {
        "amount_cents": amount_cents,
        "event_id": f"order-created:{order_id}",
        "order_id": order_id,
        "type": "OrderCreated",
    }
    return json.dumps(event, separators=(",", ":"))


def send(stack: Stack, body: str) -> str:
    """Puts a body on the delivery queue by hand and returns the id of its message."""
    answer = stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=body)
    return str(answer["MessageId"])
