"""The verb `status`: what is stored and what is on its way."""

import typer

from ops import status
from ops.output import AsJson, Output
from ops.stack_option import OnAws, chosen_stack


def show_status(on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Show the totals and what is on the queues."""
    stack = chosen_stack(on_aws)
    totals = status.read_totals(stack)
    delivery = status.count_messages(stack, stack["queue_url"])
    dead = status.count_messages(stack, stack["dead_letter_queue_url"])
    Output(as_json).write(
        {"totals": vars(totals), "queue": vars(delivery), "dead_letter_queue": vars(dead)},
        f"{totals}. "
        f"Delivery queue: {delivery.available} available, {delivery.in_flight} in flight. "
        f"Dead-letter queue: {dead.available} available, {dead.in_flight} in flight.",
    )


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("status", epilog="Example: outbox status --aws dev")(show_status)
