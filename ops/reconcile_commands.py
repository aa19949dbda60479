"""The verb `reconcile`: accepted events that were never applied."""

from typing import Annotated

import typer

from ops.exit_codes import CHECK_FAILED
from ops.output import AsJson, Output
from ops.reconcile import reconcile
from ops.stack_option import OnAws, chosen_stack


def reconcile_events(
    dry_run: Annotated[bool, typer.Option(help="Find only, send nothing.")] = False,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Send every accepted event that was not applied to the delivery queue again."""
    found = reconcile(chosen_stack(on_aws), dry_run=dry_run)
    Output(as_json).write(
        vars(found),
        f"{found.stored} stored events: {len(found.sent)} sent again, {len(found.not_sent)} not sent.",
        *(f"not sent: {event_id} ({reason})" for event_id, reason in found.not_sent.items()),
    )
    if found.not_sent and not dry_run:
        raise typer.Exit(CHECK_FAILED)


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("reconcile", epilog="Example: outbox reconcile --dry-run")(reconcile_events)
