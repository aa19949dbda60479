"""The verbs `place` and `send`: commands, and messages put on the queue by hand."""

from typing import Annotated

import typer

from outbox_cli.domain import require_domain
from outbox_cli.orders import sending
from outbox_cli.orders.bodies import read_body
from outbox_cli.output import AsJson, Output
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack

# A negative number is a value, and not an option.
NEGATIVE_NUMBERS = {"ignore_unknown_options": True}

Fields = "The fields of a command in their order; of the walkthrough: ORDER CENTS."


def place(
    values: Annotated[list[str], typer.Argument(metavar="VALUE...", help=Fields)],
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Send a command, such as an order, to the command function."""
    stack = chosen_stack(on_aws, outbox)
    answer = sending.place(stack, sending.command_of(require_domain(stack), values))
    Output(as_json).write(answer, f"{answer['result']} {answer['event_id']}")


def send(
    values: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|-|VALUE...",
            help=f"A file with the body, or - for standard input. Several values: {Fields[0].lower()}{Fields[1:]}",
        ),
    ],
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Put a body on the delivery queue by hand, unchanged, or the event of a command, as the relay sends it.

    A body that no event has shows how the consumer refuses it.
    """
    if len(values) == 1:
        text = read_body(values[0])
        sending.require_body(text)
        stack = chosen_stack(on_aws, outbox)
    else:
        stack = chosen_stack(on_aws, outbox)
        domain = require_domain(stack)
        text = domain.event_of(sending.command_of(domain, values)).body
    message_id = sending.send_as_stored(stack, text)
    Output(as_json).write({"message_id": message_id}, f"Sent as message {message_id}.")


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    app.command(context_settings=NEGATIVE_NUMBERS, epilog="Example: outbox place order-a 1000")(place)
    app.command(context_settings=NEGATIVE_NUMBERS, epilog="Example: outbox send order-a 1000")(send)
