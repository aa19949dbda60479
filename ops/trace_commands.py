"""The verb `trace`: the way of one event."""

import typer

from ops import trace
from ops.errors import OperatorError
from ops.output import AsJson, Output
from ops.stack_option import OnAws, chosen_stack


def show_trace(event_id: str, on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Follow one event through the logs of the three functions."""
    lines = trace.trace_event(chosen_stack(on_aws), event_id)
    if not lines:
        raise OperatorError(
            f"No function logged {event_id!r}: check the id (order-created:<order id>), or wait a moment."
        )
    Output(as_json).write(
        {"event_id": event_id, "lines": [vars(line) for line in lines]},
        *(f"{line.function:9}{line.text}" for line in lines),
    )


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("trace", epilog="Example: outbox trace order-created:order-a")(show_trace)
