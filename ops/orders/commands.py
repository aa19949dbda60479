"""The verbs `place` and `send`: what starts at the command, and what is put on the queue by hand."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ops.errors import OperatorError
from ops.orders import sending
from ops.output import AsJson, Output
from ops.stack.option import OnAws, chosen_stack

STANDARD_INPUT = "-"
# A negative amount is an amount, which the command refuses, and not an option.
NEGATIVE_AMOUNTS = {"ignore_unknown_options": True}

Cents = typer.Argument(metavar="CENTS", help="The order's amount, in cents.")


def place(
    order_id: Annotated[str, typer.Argument(metavar="ORDER", help="The order's id.")],
    amount_cents: Annotated[int, Cents],
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Place an order through the command."""
    answer = sending.place(chosen_stack(on_aws), {"order_id": order_id, "amount_cents": amount_cents})
    Output(as_json).write(answer, f"{answer['result']} {answer['event_id']}")


def send(
    body: Annotated[
        str,
        typer.Argument(
            metavar="FILE|-|ORDER",
            help="A file with the body, or - for standard input; with CENTS, an order's id.",
        ),
    ],
    amount_cents: Annotated[int | None, Cents] = None,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Put a body on the delivery queue by hand, unchanged, or the event of an order, as the relay sends it.

    A body that no event has shows how the consumer refuses it.
    """
    text = _read(body) if amount_cents is None else sending.order_created_body(body, amount_cents)
    message_id = sending.send(chosen_stack(on_aws), text)
    Output(as_json).write({"message_id": message_id}, f"Sent as message {message_id}.")


def _read(name: str) -> str:
    """The text of a file, or of standard input, byte for byte.

    Raises:
        OperatorError: it cannot be read, or is not text in UTF-8, which is all that SQS takes.
    """
    try:
        content = sys.stdin.buffer.read() if name == STANDARD_INPUT else Path(name).read_bytes()
        return content.decode("utf-8")
    except OSError as error:
        raise OperatorError(
            f"The body cannot be read from {name} ({error.strerror}): "
            "name a file or -, or an order and its cents: outbox send order-a 1000."
        ) from error
    except UnicodeDecodeError as error:
        raise OperatorError(
            f"The body in {name} is not text in UTF-8, which is all that SQS takes: convert it first."
        ) from error


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    app.command(context_settings=NEGATIVE_AMOUNTS, epilog="Example: outbox place order-a 1000")(place)
    app.command(context_settings=NEGATIVE_AMOUNTS, epilog="Example: outbox send order-a 1000")(send)
