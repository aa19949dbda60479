"""The verb `correct`: an event that can never be sent as it is stored."""

import time
from typing import Annotated

import typer

from outbox_cli.dead_letters.content import share_of
from outbox_cli.errors import WrongUseError
from outbox_cli.orders.bodies import read_body
from outbox_cli.orders.sending import require_id
from outbox_cli.output import AsJson, Output
from outbox_cli.parked import correction
from outbox_cli.shown import proposed
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack


def correct(
    event_id: Annotated[
        str, typer.Argument(metavar="EVENT", help="An event that reconcile names as parked.")
    ],
    body: Annotated[
        str | None,
        typer.Argument(metavar="FILE|-", help="A file with the right body, or - for standard input."),
    ] = None,
    *,
    give_up: Annotated[
        bool,
        typer.Option("--give-up", help="Without a body: end the event's lifetime, so no search reports it."),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option("--dry-run", help="Say why the event is parked and check the body; change nothing."),
    ] = False,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Give an undeliverable event the body that it should have had, and send that.

    Only a row whose body no queue accepts is changed, or one that was corrected before and is not applied, and only to
    a body of the same event. With --give-up its
    lifetime ends now: reconcile counts it as expired, and DynamoDB deletes it where rows have a lifetime.
    """
    if give_up == (body is not None):
        raise WrongUseError("Either a body or --give-up is wanted: outbox correct EVENT FILE.")
    require_id(event_id)
    text = None if body is None else read_body(body)
    if text is not None:
        correction.identity_of(event_id, text)
    stack = chosen_stack(on_aws, outbox)
    if text is not None:
        correction.require_accepted(stack, text)
    answer = {"event_id": event_id, "dry_run": dry_run, "parked": correction.parked_reason(stack, event_id)}
    if dry_run:
        line = f"{event_id} is parked ({answer['parked']}): nothing is changed."
    elif text is None:
        correction.give_up(stack, event_id, time.time())
        line = f"{event_id} is abandoned: its lifetime has ended."
    else:
        answer["message_id"] = correction.correct(stack, event_id, text)
        line = f"{event_id} is corrected and sent: {proposed('outbox trace', event_id)} shows when it is applied."
    if text is not None:
        answer["is_order"] = share_of(text) is not None
        line += (
            ""
            if answer["is_order"]
            else " The body is no order: a consumer of your own has to understand it."
        )
    Output(as_json).write(answer, line)


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    app.command("correct", epilog="Example: outbox correct order-created:order-a corrected.json")(correct)
