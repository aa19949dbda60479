"""The verb `fault`: the consumer's controlled failure, on and off."""

from typing import Annotated

import typer

from ops import fault, orders
from ops.output import AsJson, Output
from ops.stack_option import OnAws, chosen_stack


def set_fault(
    order_id: Annotated[
        str | None, typer.Argument(help="The order to fail; without it the fault is off.")
    ] = None,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Make the consumer fail one order's message after its commit, or stop doing so."""
    fault.set_fault(chosen_stack(on_aws), order_id and orders.require_order_id(order_id))
    Output(as_json).write(
        {"fault_after_commit": order_id},
        f"The message of {order_id} fails after its commit." if order_id else "The fault is off.",
    )


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("fault")(set_fault)
