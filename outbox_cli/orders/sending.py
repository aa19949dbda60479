"""Sends commands to the command function, and events by hand to the queue."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from outbox.bodies import refusal
from outbox.domain import Domain
from outbox.errors import InvalidInputError
from outbox.fields import WholeNumber, read_fields
from outbox.headers import message_attributes, stored_headers
from outbox.items import ROW_PREFIX, SORT_KEY, require_event_id
from outbox_cli.dead_letters.messages import identity_in
from outbox_cli.domain import walkthrough
from outbox_cli.errors import RefusedOrderError, WrongUseError
from outbox_cli.stack.deployed import Stack

WHOLE_NUMBER = re.compile(r"-?[0-9]{1,40}")


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


def command_of(domain: Domain, values: Sequence[str]) -> dict[str, Any]:
    """The command that has these values, in the order of the domain's fields.

    Raises:
        WrongUseError: no such command is accepted.
    """
    if len(values) != len(domain.command):
        raise WrongUseError(
            f"A command of the domain {domain.name!r} takes {len(domain.command)} values, "
            f"{', '.join(domain.command)} in this order, but got {len(values)}."
        )
    command = {
        name: int(value) if isinstance(field, WholeNumber) and WHOLE_NUMBER.fullmatch(value) else value
        for (name, field), value in zip(domain.command.items(), values, strict=True)
    }
    _check(lambda: read_fields(command, "A command", domain.command))
    return command


def require_order_id(order_id: str) -> None:
    """Refuses an order id that the command never accepted.

    Raises:
        WrongUseError: no such order can exist.
    """
    _check(lambda: walkthrough().command["order_id"].check("order_id", order_id))


def require_id(event_id: str) -> None:
    """Refuses what can be no event's id.

    Raises:
        WrongUseError: it is one.
    """
    _check(lambda: require_event_id(event_id))


def require_body(body: str) -> None:
    """Refuses a body that no queue accepts.

    Raises:
        WrongUseError: it is one.
    """
    if reason := refusal(body):
        raise WrongUseError(f"The body cannot be sent: {reason}.")


def order_created_body(order_id: str, amount_cents: int) -> str:
    """The application event of an order, as the command stores it and the relay sends it."""
    return walkthrough().event_of({"order_id": order_id, "amount_cents": amount_cents}).body


def send(stack: Stack, body: str, headers: Mapping[str, str] | None = None) -> str:
    """Puts a body with headers on the delivery queue by hand and returns the id of its message."""
    answer = stack.clients("sqs").send_message(
        QueueUrl=stack["queue_url"], MessageBody=body, MessageAttributes=message_attributes(headers or {})
    )
    return str(answer["MessageId"])


def send_as_stored(stack: Stack, body: str) -> str:
    """Puts a body on the queue with the headers of its event's outbox row, if there is such a row."""
    try:
        event_id = identity_in(body).event_id
    except InvalidInputError:
        return send(stack, body)
    row = read_row(stack, event_id) if stack.outputs.get("source_table_name") else None
    return send(stack, body, stored_headers(row) if row else None)


def read_row(stack: Stack, event_id: str) -> dict[str, Any] | None:
    """The outbox row of an event in wire form, if it is stored; strongly consistent."""
    found: dict[str, Any] | None = (
        stack.clients("dynamodb")
        .get_item(
            TableName=stack["source_table_name"],
            Key={"PK": {"S": ROW_PREFIX + event_id}, "SK": {"S": SORT_KEY}},
            ConsistentRead=True,
        )
        .get("Item")
    )
    return found


def _check(judge: Callable[[], object]) -> None:
    try:
        judge()
    except InvalidInputError as error:
        raise WrongUseError(f"{error}.") from error
