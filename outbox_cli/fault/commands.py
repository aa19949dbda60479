"""The verbs `fault on` and `fault off`: the consumer's controlled failure, to practise with."""

from typing import Annotated

import typer

from outbox_cli.fault import switch
from outbox_cli.orders.domain import of_orders
from outbox_cli.orders.sending import require_order_id
from outbox_cli.output import AsJson, Output
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack


def fault_on(
    order_id: Annotated[str, typer.Argument(metavar="ORDER", help="The order whose message shall fail.")],
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Make the consumer fail one order's message after its commit, until it is a dead letter."""
    require_order_id(order_id)
    switch.set_fault(of_orders(chosen_stack(on_aws, outbox)), order_id)
    Output(as_json).write(
        {"fault_after_commit": order_id}, f"The message of {order_id} fails after its commit."
    )


def fault_off(on_aws: OnAws = None, outbox: OutboxName = None, as_json: AsJson = False) -> None:
    """Let the consumer work as it should again."""
    switch.set_fault(of_orders(chosen_stack(on_aws, outbox)), None)
    Output(as_json).write({"fault_after_commit": None}, "The fault is off.")


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    fault_app = typer.Typer(help="The consumer's controlled failure, to practise with.", no_args_is_help=True)
    fault_app.command("on", epilog="Example: outbox fault on order-b")(fault_on)
    fault_app.command("off", epilog="Example: outbox fault off")(fault_off)
    app.add_typer(fault_app, name="fault")
