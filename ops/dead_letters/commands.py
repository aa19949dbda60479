"""The verbs `dlq list` and `dlq redrive`: the dead-letter queue."""

from collections import Counter
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console

from ops.dead_letters.checked_redrive import CheckedRedrive, Outcome, redrive
from ops.dead_letters.letters import (
    LISTED_BY_DEFAULT,
    LISTED_MOST,
    DeadLetter,
    Hidden,
    InboxState,
    list_dead_letters,
)
from ops.dead_letters.prediction import Prediction
from ops.dead_letters.redrive import Redrive, state_is
from ops.demo.waiting import Wait
from ops.durations import duration
from ops.exit_codes import CHECK_FAILED
from ops.output import AsJson, Output
from ops.progress import progress
from ops.stack.deployed import Stack
from ops.stack.option import OnAws, chosen_stack
from ops.status.stored import count_messages

MESSAGES_PER_SECOND_MOST = 500  # of StartMessageMoveTask, and so of both movers
MESSAGES_PER_SECOND = 10
SILENT_SECONDS = 60  # a shorter redrive needs no announcement
WAIT_SECONDS = 300


class Only(StrEnum):
    """Which messages a redrive can be held to; the others would come back."""

    APPLIED = "applied"
    UNAPPLIED = "unapplied"


def list_verb(
    most: Annotated[
        int, typer.Option("--most", min=1, max=LISTED_MOST, help="Messages to read.")
    ] = LISTED_BY_DEFAULT,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Show the dead letters with what the inbox says of each, and leave them there.

    applied: delivering it again changes nothing. unapplied: a redrive applies it. conflicting, unreadable: a
    redrive brings it back. Reading hides a message for a moment and raises its receive count, no more.
    """
    listing = list_dead_letters(chosen_stack(on_aws), most)
    lines = [_line(each) for each in listing.letters]
    ends = [] if not listing.may_have_more else ["There may be more: raise --most."]
    ends += [str(listing.hidden)] if listing.hidden.count else []
    empty = "No dead letter can be seen now." if ends else "The dead-letter queue is empty."
    Output(as_json).write(
        {
            "messages": [_as_json(each) for each in listing.letters],
            "complete": listing.is_complete,
            "hidden": listing.hidden.count,
            "states": _states(listing.letters),
        },
        *lines,
        " ".join([f"{_count(listing.letters)}." if lines else empty, *ends]),
    )


def redrive_verb(
    *,
    messages_per_second: Annotated[
        int, typer.Option("--max-per-second", min=1, max=MESSAGES_PER_SECOND_MOST, help="Messages a second.")
    ] = MESSAGES_PER_SECOND,
    only: Annotated[Only | None, typer.Option(help="Move only these; without it, all.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be moved and added, move nothing.")
    ] = False,
    wait_seconds: Annotated[
        int, typer.Option("--wait", min=0, help="Longest wait, in seconds, until all is consumed.")
    ] = WAIT_SECONDS,
    on_aws: OnAws = None,
    as_json: AsJson = False,
) -> None:
    """Move dead letters back to the delivery queue, then compare the totals with what the inbox predicted.

    Safe to stop and to start again at any time: at most a message is delivered once more, which the consumer
    ignores. Exit code 1 if an event is not applied, if the totals differ though nothing else was applied, or
    if another reader hides some of the messages.
    """
    stack = chosen_stack(on_aws)
    state = InboxState(only) if only else None
    if dry_run:
        _show_dry_run(stack, state, Output(as_json))
        return
    to_move = count_messages(stack, stack["dead_letter_queue_url"]).available
    if to_move > SILENT_SECONDS * messages_per_second:
        Console(stderr=True, highlight=False).print(
            f"{to_move} dead letters take about {duration(to_move / messages_per_second)} at "
            f"{messages_per_second} a second; raise --max-per-second for more.",
            soft_wrap=True,
        )
    with progress("reading the dead letters ...") as tell:

        def show(now: Redrive) -> None:
            tell(f"{now.moved} of about {now.to_move} moved ...")

        done = redrive(stack, messages_per_second, state, Wait(float(wait_seconds)), on_progress=show)
    Output(as_json).write(_redrive_as_json(done), *_redrive_lines(done))
    if not done.ok:
        raise typer.Exit(CHECK_FAILED)


def _show_dry_run(stack: Stack, state: InboxState | None, output: Output) -> None:
    listing = list_dead_letters(stack, LISTED_MOST)
    chosen = list(filter(state_is(state), listing.letters))
    prediction = Prediction.of(chosen)
    output.write(
        {
            "would_move": len(chosen),
            "complete": listing.is_complete,
            "hidden": listing.hidden.count,
            "predicted": _prediction_as_json(prediction),
        },
        f"Would move {_count(chosen)}: that adds {prediction}.",
        *_returning(prediction),
        *_not_looked_at(listing.hidden),
    )


def _redrive_lines(done: CheckedRedrive) -> list[str]:
    lines = [
        f"{done.moved} moved. Predicted: {done.prediction} more. Totals: {done.after}, {done.added} more."
    ]
    lines += _returning(done.prediction)
    if done.kept:
        lines.append(
            f"{done.kept} were sent but could not be deleted: the next redrive sends them once more, "
            "and the consumer ignores that."
        )
    lines += [f"SQS did not take message {each} ({code})." for each, code in done.refused.items()]
    return [*lines, _verdict(done), *_not_looked_at(done.hidden)]


def _not_looked_at(hidden: Hidden) -> list[str]:
    return [f"Not looked at: {hidden} Redrive again then."] if hidden.count else []


def _verdict(done: CheckedRedrive) -> str:
    if done.outcome is Outcome.NOT_APPLIED:
        some = ", ".join(done.unapplied[:3])
        return (
            f"{len(done.unapplied)} events are not applied yet, {some} among them: see what the consumer does "
            f"with `outbox trace {done.unapplied[0]}`, or wait longer with --wait."
        )
    return {
        Outcome.AS_PREDICTED: "The totals are as predicted.",
        Outcome.NOTHING_MOVED: "There was nothing to move that can be seen now."
        if done.hidden.count
        else "There was nothing to move.",
        Outcome.OTHER_TRAFFIC: "Other events were applied meanwhile, so the totals cannot be compared; every "
        "event that was moved to be applied has its marker.",
        Outcome.NOT_COMPARED: "Not every dead letter could be looked at, so the totals are not compared.",
        Outcome.DIFFERENT: "The totals differ from the prediction, and the consumer's log names no other event "
        "as the cause: compare orders and markers with `outbox reconcile --dry-run`.",
    }[done.outcome]


def _returning(prediction: Prediction) -> list[str]:
    if not prediction.comes_back:
        return []
    why = "the consumer refuses conflicting and unreadable messages every time"
    return [f"{prediction.comes_back} will be dead letters again after their deliveries: {why}."]


def _redrive_as_json(done: CheckedRedrive) -> dict[str, Any]:
    return {
        "ok": done.ok,
        "outcome": done.outcome,
        "moved": done.moved,
        "sent_but_not_deleted": done.kept,
        "refused": done.refused,
        "hidden": done.hidden.count,
        "complete": not done.hidden.count,
        "predicted": _prediction_as_json(done.prediction),
        "added": vars(done.added),
        "totals": vars(done.after),
        "not_applied": done.unapplied,
    }


def _prediction_as_json(prediction: Prediction) -> dict[str, Any]:
    return {
        "least": vars(prediction.least),
        "most": vars(prediction.most),
        "comes_back": prediction.comes_back,
    }


def _as_json(letter: DeadLetter) -> dict[str, Any]:
    return {
        "message_id": letter.message_id,
        "state": letter.state,
        "event_id": letter.event_id,
        "problem": letter.problem,
        "sent_at_ms": letter.sent_at_ms,
        "receive_count": letter.receive_count,
        "body": letter.body,
    }


def _line(letter: DeadLetter) -> str:
    sent = datetime.fromtimestamp(letter.sent_at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    what = letter.event_id or f"message {letter.message_id}: {letter.problem}"
    return f"{letter.state:12}{sent}  {what}"


def _states(letters: list[DeadLetter]) -> dict[str, int]:
    counts = Counter(letter.state for letter in letters)
    return {state.value: counts[state] for state in InboxState}


def _count(letters: list[DeadLetter]) -> str:
    states = ", ".join(f"{count} {state}" for state, count in _states(letters).items() if count)
    messages = "1 message" if len(letters) == 1 else f"{len(letters)} messages"
    return f"{messages} ({states})" if states else messages


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    dead_letter_app = typer.Typer(help="The dead-letter queue.", no_args_is_help=True)
    dead_letter_app.command("list", epilog="Example: outbox dlq list --most 1000 --aws prod")(list_verb)
    dead_letter_app.command(
        "redrive", epilog="Example: outbox dlq redrive --max-per-second 50 --only unapplied --dry-run"
    )(redrive_verb)
    app.add_typer(dead_letter_app, name="dlq")
