"""The verbs `dlq list`, `dlq redrive` and `dlq delete`: the dead-letter queue."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from outbox_cli.dead_letters.deleting import delete_messages
from outbox_cli.dead_letters.messages import (
    LISTED_BY_DEFAULT,
    DeadLetterMessage,
    InboxState,
    list_dead_letters,
)
from outbox_cli.dead_letters.redrive import comes_back, in_state, redrive
from outbox_cli.dead_letters.view import (
    come_back_lines,
    counted,
    deletion_as_json,
    deletion_lines,
    in_flight_lines,
    message_as_json,
    message_lines,
    redrive_as_json,
    redrive_lines,
    states,
)
from outbox_cli.durations import duration
from outbox_cli.errors import WrongUseError
from outbox_cli.exit_codes import CHECK_FAILED
from outbox_cli.output import AsJson, Output
from outbox_cli.progress import progress
from outbox_cli.queue_messages import READ_MOST
from outbox_cli.shown import Screen
from outbox_cli.stack.deployed import Stack
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack
from outbox_cli.status.stored import count_messages
from outbox_cli.waiting import Wait

MESSAGES_PER_SECOND_MOST = 500
MESSAGES_PER_SECOND = 10
SILENT_SECONDS = 60  # a shorter redrive needs no announcement
WAIT_SECONDS = 300
WAIT_SECONDS_MOST = 86_400
BODIES_MOST = 100  # of up to 1 MiB each, all in one answer


class Only(StrEnum):
    """The states that a redrive can be limited to; messages in the others come back."""

    APPLIED = "applied"
    UNAPPLIED = "unapplied"


def list_verb(
    most: Annotated[
        int, typer.Option("--most", min=1, max=READ_MOST, help="Messages to read.")
    ] = LISTED_BY_DEFAULT,
    bodies: Annotated[
        bool, typer.Option("--bodies", help=f"Show the bodies, too; of {BODIES_MOST} messages at most.")
    ] = False,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """List the dead-letter messages, each with its state in the inbox. The messages stay in the queue.

    applied: delivering it again changes nothing. unapplied: a redrive applies it, if the consumer understands
    it. conflicting, unreadable: a redrive brings it back. Reading makes a message invisible for a moment and raises its
    receive count.
    """
    if bodies and most > BODIES_MOST:
        raise WrongUseError(
            f"--bodies is for {BODIES_MOST} messages at most, not --most {most}: "
            "`outbox dlq delete MESSAGE_ID --dry-run` shows that of a single one."
        )
    listing = list_dead_letters(chosen_stack(on_aws, outbox), most, with_bodies=bodies)
    lines = [line for each in listing.messages for line in message_lines(each)]
    ends = [] if not listing.may_have_more else ["There may be more: raise --most."]
    ends += [str(listing.in_flight)] if listing.in_flight.count else []
    empty = "No dead-letter message can be seen now." if ends else "The dead-letter queue is empty."
    Output(as_json).write(
        {
            "messages": [message_as_json(each) for each in listing.messages],
            "complete": listing.is_complete,
            "hidden": listing.in_flight.count,
            "states": states(listing.messages),
        },
        *lines,
        " ".join([f"{counted(listing.messages)}." if lines else empty, *ends]),
    )


def redrive_verb(
    *,
    messages_per_second: Annotated[
        int, typer.Option("--max-per-second", min=1, max=MESSAGES_PER_SECOND_MOST, help="Messages a second.")
    ] = MESSAGES_PER_SECOND,
    only: Annotated[Only | None, typer.Option(help="Move only these; without it, all.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be moved, move nothing.")
    ] = False,
    wait_seconds: Annotated[
        int,
        typer.Option(
            "--wait",
            min=0,
            max=WAIT_SECONDS_MOST,
            help="Longest wait, in seconds, until each event has its marker.",
        ),
    ] = WAIT_SECONDS,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Move dead-letter messages back to the delivery queue, then wait until each of their events has its marker.

    Safe to stop and to start again at any time: at most a message is delivered once more, which the consumer
    ignores. Exit code 1 if an event has no marker in time, if SQS refuses a message, or if another reader
    has some of the messages in flight.
    """
    stack = chosen_stack(on_aws, outbox)
    state = InboxState(only) if only else None
    if dry_run:
        _show_dry_run(stack, state, Output(as_json))
        return
    to_move = count_messages(stack, stack["dead_letter_queue_url"]).available
    if to_move > SILENT_SECONDS * messages_per_second:
        Screen(stderr=True).print(
            f"{to_move} messages take about {duration(to_move / messages_per_second)} at "
            f"{messages_per_second} a second; raise --max-per-second for more.",
            soft_wrap=True,
        )
    with progress("reading the dead-letter queue ...") as tell:

        def show(moved: int, to_move: int) -> None:
            tell(f"{moved} of about {to_move} moved ...")

        done = redrive(stack, messages_per_second, state, Wait(float(wait_seconds)), on_progress=show)
    Output(as_json).write(redrive_as_json(done), *redrive_lines(done))
    if not done.ok:
        raise typer.Exit(CHECK_FAILED)


def delete_verb(
    message_ids: Annotated[
        list[str], typer.Argument(metavar="MESSAGE_ID", help="Ids as `dlq list` shows them.")
    ],
    *,
    only: Annotated[
        InboxState, typer.Option(help="Delete a message only if the inbox says this of it now.")
    ] = InboxState.APPLIED,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would be deleted, with its body; delete nothing.")
    ] = False,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Show dead-letter messages with their bodies, then delete them for good.

    By default it deletes only messages whose effect is stored. An unapplied event is lost with its message:
    check conflicting and unreadable ones first, with --dry-run. Exit code 1 if one of the named is left.
    """
    if len(message_ids) > BODIES_MOST:
        raise WrongUseError(
            f"{len(message_ids)} messages are named; at most {BODIES_MOST} are deleted at a time."
        )
    output = Output(as_json)

    def show(messages: Sequence[DeadLetterMessage]) -> None:
        output.begin(
            {"messages": list(map(message_as_json, messages))},
            *(line for each in messages for line in message_lines(each)),
        )

    done = delete_messages(chosen_stack(on_aws, outbox), message_ids, only, is_dry_run=dry_run, show=show)
    output.end(deletion_as_json(done), *deletion_lines(done))
    if not done.ok:
        raise typer.Exit(CHECK_FAILED)


def _show_dry_run(stack: Stack, state: InboxState | None, output: Output) -> None:
    listing = list_dead_letters(stack, READ_MOST)
    chosen = list(filter(in_state(state), listing.messages))
    output.write(
        {
            "would_move": len(chosen),
            "comes_back": comes_back(chosen),
            "hidden": listing.in_flight.count,
            "complete": listing.is_complete,
        },
        f"Would move {counted(chosen)}.",
        *come_back_lines(chosen),
        *in_flight_lines(listing.in_flight),
    )


def add_to(app: typer.Typer) -> None:
    """Adds the three verbs to a command line."""
    dead_letter_app = typer.Typer(help="The dead-letter queue.", no_args_is_help=True)
    dead_letter_app.command("list", epilog="Example: outbox dlq list --most 1000 --aws prod")(list_verb)
    dead_letter_app.command(
        "redrive", epilog="Example: outbox dlq redrive --max-per-second 50 --only unapplied --dry-run"
    )(redrive_verb)
    dead_letter_app.command(
        "delete", epilog="Example: outbox dlq delete 059f36b4-87a3-44ab-83d2-661975830a7d --only unreadable"
    )(delete_verb)
    app.add_typer(dead_letter_app, name="dlq")
