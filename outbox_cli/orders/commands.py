"""The verbs `place` and `send`: orders through the command, and messages put on the queue by hand."""

from typing import Annotated

import typer

from outbox_cli.orders import sending
from outbox_cli.orders.bodies import read_body
from outbox_cli.orders.domain import of_orders
from outbox_cli.output import AsJson, Output
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack

# A negative amount is an amount, though a refused one, and not an option.
NEGATIVE_AMOUNTS = {"ignore_unknown_options": True}

Cents = typer.Argument(metavar="CENTS", help="The order's amount, in cents.")


def place(
    order_id: Annotated[str, typer.Argument(metavar="ORDER", help="The order's id.")],
    amount_cents: Annotated[int, Cents],
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Place an order through the command."""
    sending.require_order_id(order_id)
    sending.require_amount_cents(amount_cents)
    answer = sending.place(
        of_orders(chosen_stack(on_aws, outbox)), {"order_id": order_id, "amount_cents": amount_cents}
    )
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
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Put a body on the delivery queue by hand, unchanged, or the event of an order, as the relay sends it.

    A body that no event has shows how the consumer refuses it.
    """
    text = read_body(body) if amount_cents is None else sending.order_created_body(body, amount_cents)
    sending.require_body(text)
    stack = chosen_stack(on_aws, outbox)
    message_id = sending.send(stack if amount_cents is None else of_orders(stack), text)
    Output(as_json).write({"message_id": message_id}, f"Sent as message {message_id}.")


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    app.command(context_settings=NEGATIVE_AMOUNTS, epilog="Example: outbox place order-a 1000")(place)
    app.command(context_settings=NEGATIVE_AMOUNTS, epilog="Example: outbox send order-a 1000")(send)
