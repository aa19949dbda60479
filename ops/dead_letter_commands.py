"""The verbs `dlq list` and `dlq redrive`: the dead-letter queue."""

from typing import Annotated

import typer
from rich.console import Console

from ops import dead_letters
from ops.output import AsJson, Output
from ops.stack_option import OnAws, chosen_stack


def list_dead_letters(on_aws: OnAws = None, as_json: AsJson = False) -> None:
    """Show up to ten messages of the dead-letter queue and leave them there."""
    messages = dead_letters.peek(chosen_stack(on_aws))
    Output(as_json).write(
        {"messages": messages}, *([each["body"] for each in messages] or ["The dead-letter queue is empty."])
    )


def redrive_dead_letters(
    rate: Annotated[int, typer.Option(min=1, max=500, help="Messages a second.")] = 1,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Move the dead letters back to the delivery queue; look at the totals afterwards."""
    with Console(stderr=True).status("starting ...") as status_line:
        moved = dead_letters.redrive(
            chosen_stack(on_aws),
            rate,
            lambda now: status_line.update(f"{now.moved} of {now.to_move} moved ..."),
        )
    Output(as_json).write(vars(moved), f"{moved.status}: {moved.moved} messages moved.")


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    dead_letter_app = typer.Typer(help="The dead-letter queue.", no_args_is_help=True)
    dead_letter_app.command("list", epilog="Example: outbox dlq list --aws prod")(list_dead_letters)
    dead_letter_app.command("redrive", epilog="Example: outbox dlq redrive --rate 10")(redrive_dead_letters)
    app.add_typer(dead_letter_app, name="dlq")
