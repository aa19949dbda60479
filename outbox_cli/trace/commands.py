"""The verb `trace`: the life of one event."""

import os
from pathlib import Path
from typing import Annotated

import typer

from outbox_cli.errors import OperatorError, WrongUseError
from outbox_cli.orders.sending import require_id
from outbox_cli.output import AsJson, Output
from outbox_cli.shown import Screen
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack
from outbox_cli.trace.facts import read_facts
from outbox_cli.trace.page import timeline_page
from outbox_cli.trace.timeline import timeline_as_json, timeline_of
from outbox_cli.trace.view import timeline_view


def show_trace(
    event_or_order: Annotated[
        str, typer.Argument(metavar="EVENT|ORDER", help="The id of an event, or of an order for its event.")
    ],
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the timeline as a page of its own, too.")
    ] = None,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Follow one event from the command to the total, through tables and logs."""
    require_id(event_or_order)
    if html is not None:
        _require_writable(html)
    timeline = timeline_of(read_facts(chosen_stack(on_aws, outbox), event_or_order))
    if html is not None:
        _write(html, timeline_page(timeline))
    if as_json:
        Output(as_json).write(timeline_as_json(timeline))
    else:
        Screen().print(timeline_view(timeline))


def _require_writable(path: Path) -> None:
    """Refuses a page that cannot be written, before anything is read for it."""
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise WrongUseError(f"The page cannot be written to {path}: name a file in a folder that there is.")


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise OperatorError(
            f"The page cannot be written to {path} ({error.strerror}): name another file."
        ) from error


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("trace", epilog="Example: outbox trace order-a")(show_trace)
