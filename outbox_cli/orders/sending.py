"""Places orders through the command, and sends application events by hand."""

import json
import re
from typing import Any

from orders import MAXIMUM_AMOUNT_CENTS, ORDER_ID_PATTERN, Order, event_of
from outbox.bodies import refusal
from outbox.errors import InvalidInputError
from outbox.items import require_event_id
from outbox_cli.errors import RefusedOrderError, WrongUseError
from outbox_cli.stack.deployed import Stack

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


def require_order_id(order_id: str) -> None:
    """Refuses an order id that the command never accepted.

    Raises:
        WrongUseError: no such order can exist.
    """
    if not re.fullmatch(ORDER_ID_PATTERN, order_id):
        raise WrongUseError(
            f"order_id must be 1-40 lowercase letters, digits or hyphens, but is {order_id[:LONGEST_SHOWN]!r}."
        )


def require_id(event_id: str) -> None:
    """Refuses what can be no event's id.

    Raises:
        WrongUseError: it is one.
    """
    try:
        require_event_id(event_id)
    except InvalidInputError as error:
        raise WrongUseError(f"{error}.") from error


def require_amount_cents(amount_cents: int) -> None:
    """Refuses an amount that the command does not accept.

    Raises:
        WrongUseError: it is one.
    """
    if not 1 <= amount_cents <= MAXIMUM_AMOUNT_CENTS:
        raise WrongUseError(
            f"amount_cents must be a whole number from 1 to {MAXIMUM_AMOUNT_CENTS}, but is {amount_cents}."
        )


def require_body(body: str) -> None:
    """Refuses a body that no queue accepts.

    Raises:
        WrongUseError: it is one.
    """
    if reason := refusal(body):
        raise WrongUseError(f"The body cannot be sent: {reason}.")


def order_created_body(order_id: str, amount_cents: int) -> str:
    """The application event of an order, as the command stores it and the relay sends it."""
    return event_of(Order(order_id, amount_cents)).body


def send(stack: Stack, body: str) -> str:
    """Puts a body on the delivery queue by hand and returns the id of its message."""
    answer = stack.clients("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody=body)
    return str(answer["MessageId"])
