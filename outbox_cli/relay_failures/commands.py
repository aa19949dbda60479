"""The verbs `relay-failures list` and `relay-failures clear`: batches that Lambda abandoned for the relay."""

from collections.abc import Iterator
from typing import Annotated

import typer

from outbox_cli.exit_codes import CHECK_FAILED
from outbox_cli.output import AsJson, Output
from outbox_cli.progress import progress
from outbox_cli.queue_messages import NONE_IN_FLIGHT
from outbox_cli.reconcile.search import DEFAULT_MARGIN_SECONDS, MARGIN_SECONDS_MOST, reconcile
from outbox_cli.relay_failures.failures import QUEUE, Failures, RelayFailure, clear_failures, list_failures
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack

NO_QUEUE = (
    "The stack has no queue for abandoned batches (setting failureQueue): "
    "`outbox reconcile` finds those events all the same."
)


def list_verb(on_aws: OnAws = None, outbox: OutboxName = None, as_json: AsJson = False) -> None:
    """Show which batches of stream records Lambda abandoned for the relay. The messages stay in the queue.

    A message names a position in the stream, not an event. The events are stored; reconcile finds and sends them.
    """
    stack = chosen_stack(on_aws, outbox)
    has_queue = stack.outputs.get(QUEUE) is not None
    found = list_failures(stack) if has_queue else None
    batches = found.batches if found else []
    Output(as_json).write(
        {
            "has_queue": has_queue,
            "batches": [vars(each) for each in batches],
            "complete": not found or found.is_complete,
            "hidden": found.in_flight.count if found else 0,
        },
        *map(_line, batches),
        _end(found) if found else NO_QUEUE,
    )


def clear_verb(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say how many messages there are to clear, delete none.")
    ] = False,
    margin_seconds: Annotated[
        int,
        typer.Option(
            min=0,
            max=MARGIN_SECONDS_MOST,
            help="How long an event may be on its way before it counts as lost.",
        ),
    ] = DEFAULT_MARGIN_SECONDS,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Delete what is shown by list, once a reconciliation finds no event lost.

    It reads the whole source table, at twice what reconcile costs, and deletes nothing as long as an event is lost or
    parked, or a batch so young that its events may be on their way. Exit code 1 if a message is left.
    """
    stack = chosen_stack(on_aws, outbox)
    found = (
        list_failures(stack) if stack.outputs.get(QUEUE) is not None else Failures([], False, NONE_IN_FLIGHT)
    )
    batches, cleared = found.batches, 0
    if batches and not dry_run:
        with progress("looking for lost events ...") as tell:
            cleared = clear_failures(
                stack,
                batches,
                lambda: reconcile(
                    stack,
                    margin_seconds=margin_seconds,
                    is_consistent=True,
                    report=lambda seen: tell(f"{seen.rows} rows read ..."),
                ),
                margin_seconds=margin_seconds,
            )
    words = f"{len(batches)} to clear." if dry_run else f"{cleared} of {len(batches)} cleared."
    Output(as_json).write(
        {
            "batches": len(batches),
            "cleared": cleared,
            "dry_run": dry_run,
            "complete": found.is_complete,
            "hidden": found.in_flight.count,
        },
        words,
        *_not_seen(found),
    )
    if (cleared < len(batches) or not found.is_complete) and not dry_run:
        raise typer.Exit(CHECK_FAILED)


def _line(batch: RelayFailure) -> str:
    if not batch.tells_of_batch:
        return (
            f"Message {batch.message_id} is not Lambda's and tells of no batch: "
            "`outbox relay-failures clear` deletes it."
        )
    return (
        f"{batch.at}  {batch.condition}  {batch.records} records of {batch.shard}, "
        f"{batch.first_sequence_number} to {batch.last_sequence_number}, "
        f"stored {batch.first_stored_at} to {batch.last_stored_at}"
    )


def _not_seen(found: Failures) -> Iterator[str]:
    if found.in_flight.count:
        yield f"{found.in_flight} Repeat the command then."
    if found.may_have_more:
        yield "The queue may hold more: repeat the command."


def _end(found: Failures) -> str:
    in_flight = f" {found.in_flight}" if found.in_flight.count else ""
    count = sum(each.tells_of_batch for each in found.batches)
    if not count:
        return f"{'No abandoned batch can be seen now' if in_flight else 'No abandoned batches'}.{in_flight}"
    batches = "1 batch was" if count == 1 else f"{count} batches were"
    return (
        f"{batches} abandoned; the events are stored: `outbox reconcile --resend` sends them, "
        f"then `outbox relay-failures clear`.{in_flight}"
    )


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    failures = typer.Typer(help="Batches that Lambda abandoned for the relay.", no_args_is_help=True)
    failures.command("list", epilog="Example: outbox relay-failures list --aws prod")(list_verb)
    failures.command("clear", epilog="Example: outbox relay-failures clear --aws prod")(clear_verb)
    app.add_typer(failures, name="relay-failures")
