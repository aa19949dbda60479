"""The verbs `place` and `send`: what starts at the command, and what is put on the queue by hand."""

import typer

from ops import orders
from ops.output import AsJson, Output
from ops.stack_option import OnAws, chosen_stack

# A negative amount is an amount, which the command refuses, and not an option.
NEGATIVE_AMOUNTS = {"ignore_unknown_options": True}


def place(order_id: str, amount_cents: int, on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Place an order through the command."""
    answer = orders.place(chosen_stack(on_aws), {"order_id": order_id, "amount_cents": amount_cents})
    Output(as_json).write(answer, f"{answer['result']} {answer['event_id']}")


def send(order_id: str, amount_cents: int, on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Send an event to the delivery queue by hand, as if the relay had; a bad one shows how it is refused."""
    message_id = orders.send(chosen_stack(on_aws), orders.order_created_body(order_id, amount_cents))
    Output(as_json).write({"message_id": message_id}, f"Sent as message {message_id}.")


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    app.command(context_settings=NEGATIVE_AMOUNTS)(place)
    app.command(context_settings=NEGATIVE_AMOUNTS)(send)
