"""The verb `status`: stored items, queues and mappings."""

from typing import Annotated

import typer

from outbox_cli.output import AsJson, Output
from outbox_cli.progress import progress
from outbox_cli.shown import Screen
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack
from outbox_cli.status.report import read_status, status_as_json
from outbox_cli.status.view import status_view


def show_status(
    exact: Annotated[
        bool, typer.Option("--exact", help="Count the items of large tables too: 128 read units for each MB.")
    ] = False,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Show what both tables hold, the totals, the queues, and whether both mappings run."""
    with progress("looking ...") as tell:
        status = read_status(chosen_stack(on_aws, outbox), count_all=exact, on_progress=tell)
    if as_json:
        Output(as_json).write(status_as_json(status))
    else:
        Screen().print(status_view(status))


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("status", epilog="Example: outbox status --aws dev")(show_status)
