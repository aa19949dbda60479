"""Answers of the `dlq` verbs: lines for people, one object for programs."""

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from outbox_cli.dead_letters.checked_redrive import CheckedRedrive, Outcome
from outbox_cli.dead_letters.deleting import Deletion
from outbox_cli.dead_letters.letters import DeadLetter, InboxState
from outbox_cli.dead_letters.prediction import Prediction
from outbox_cli.held_messages import Hidden
from outbox_cli.shown import proposed


def redrive_lines(done: CheckedRedrive) -> list[str]:
    """The result of a redrive, for people."""
    lines = [
        f"{done.moved} moved. Predicted: {done.prediction} more. Totals: {done.after}, {done.added} more."
    ]
    lines += beside_totals(done.prediction)
    if done.kept:
        lines.append(
            f"{done.kept} were sent but could not be deleted: the next redrive sends them once more, "
            "and the consumer ignores that."
        )
    lines += [f"SQS did not take message {each} ({code})." for each, code in done.refused.items()]
    lines += [_verdict(done), *not_looked_at(done.hidden)]
    if done.left:
        lines.append(
            f"Left: {done.left} of the dead-letter messages that were listed. Another reader received "
            "or deleted them meanwhile: check `outbox dlq list`, and repeat the command."
        )
    return lines


def not_looked_at(hidden: Hidden) -> list[str]:
    """The messages that another reader has in flight, if any."""
    return [f"Not inspected: {hidden} Repeat it then."] if hidden.count else []


def _verdict(done: CheckedRedrive) -> str:
    if done.outcome is Outcome.NOT_APPLIED:
        some = ", ".join(done.unapplied[:3])
        return (
            f"{len(done.unapplied)} events are not applied yet, {some} among them: see what the consumer does "
            f"with {proposed('outbox trace', done.unapplied[0])}, or wait longer with --wait."
        )
    return {
        Outcome.AS_PREDICTED: "The totals are as predicted.",
        Outcome.NOTHING_MOVED: "There was no message to move that can be seen now."
        if not done.is_complete
        else "There was nothing to move.",
        Outcome.OTHER_TRAFFIC: "Other events were applied meanwhile, so the totals cannot be compared; every "
        "event that was moved to be applied has its marker.",
        Outcome.NOT_PREDICTED: "Every event that was moved to be applied has its marker; the totals, of orders "
        "alone, are not compared.",
        Outcome.NOT_COMPARED: "Not every dead-letter message could be inspected, so the totals are not compared.",
        Outcome.DIFFERENT: "The totals differ from the prediction, and the consumer's log names no other event "
        "as the cause: compare orders and markers with `outbox reconcile --dry-run`.",
    }[done.outcome]


def beside_totals(prediction: Prediction) -> list[str]:
    """What the predicted totals do not tell: events that are no orders, and what comes back, if any does."""
    lines = []
    if prediction.not_orders:
        lines.append(f"Events that are no orders: {prediction.not_orders}; what they add is not predicted.")
    if prediction.comes_back:
        why = "the consumer refuses conflicting and unreadable messages every time"
        lines.append(f"{prediction.comes_back} will be dead-lettered again after their deliveries: {why}.")
    return lines


def redrive_as_json(done: CheckedRedrive) -> dict[str, Any]:
    """The result of a redrive, as one object."""
    return {
        "ok": done.ok,
        "outcome": done.outcome,
        "moved": done.moved,
        "sent_but_not_deleted": done.kept,
        "refused": done.refused,
        "hidden": done.hidden.count,
        "left": done.left,
        "complete": done.is_complete,
        "predicted": prediction_as_json(done.prediction),
        "added": vars(done.added),
        "totals": vars(done.after),
        "not_applied": done.unapplied,
    }


def prediction_as_json(prediction: Prediction) -> dict[str, Any]:
    """The prediction, as one object."""
    return {
        "least": vars(prediction.least),
        "most": vars(prediction.most),
        "not_orders": prediction.not_orders,
        "comes_back": prediction.comes_back,
    }


def letter_as_json(letter: DeadLetter) -> dict[str, Any]:
    """A message as one object; with its body where that was asked for."""
    return {
        "message_id": letter.message_id,
        "state": letter.state,
        "event_id": letter.event_id,
        "problem": letter.problem,
        "sent_at_ms": letter.sent_at_ms,
        "receive_count": letter.receive_count,
        **({} if letter.body is None else {"body": letter.body}),
    }


def letter_lines(letter: DeadLetter) -> list[str]:
    """A message on one line, and its body on another where that was asked for."""
    sent = datetime.fromtimestamp(letter.sent_at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    what = f"{letter.message_id}  {letter.event_id or letter.problem}"
    line = f"{letter.state:12}{sent}  {what}"
    # As JSON has it: what is deleted can be told, and sent again, to the byte.
    return [line] if letter.body is None else [line, json.dumps(letter.body)]


def states(letters: list[DeadLetter]) -> dict[str, int]:
    """How many of the messages are in each state."""
    counts = Counter(letter.state for letter in letters)
    return {state.value: counts[state] for state in InboxState}


def counted(letters: list[DeadLetter]) -> str:
    """How many messages these are, by state."""
    by_state = ", ".join(f"{count} {state}" for state, count in states(letters).items() if count)
    messages = "1 message" if len(letters) == 1 else f"{len(letters)} messages"
    return f"{messages} ({by_state})" if by_state else messages


def deletion_lines(done: Deletion) -> list[str]:
    """How many were deleted, and why the others were not, for people."""
    lines = [f"Left: message {each.message_id} is {each.state}; {_way_of(each)}." for each in done.others]
    lines += [f"Left: SQS did not delete message {each}; repeat the command." for each in done.kept]
    lines += [f"Not found: message {each}; `outbox dlq list` shows what is there." for each in done.missing]
    deleted = f"{len(done.deleted)} {'would be deleted' if done.is_dry_run else 'deleted'}."
    return [*lines, deleted, *not_looked_at(done.hidden)]


def _way_of(letter: DeadLetter) -> str:
    """What there is to do with a message that was not deleted, being in another state than was wanted."""
    if letter.state is InboxState.UNAPPLIED:
        return "redrive it, or its event stays unapplied"
    return f"if that is settled, delete it with --only {letter.state}"


def deletion_as_json(done: Deletion) -> dict[str, Any]:
    """How many of the messages that were shown were deleted, and what was not."""
    return {
        "ok": done.ok,
        "dry_run": done.is_dry_run,
        "deleted": len(done.deleted),
        "other_state": [letter_as_json(each) for each in done.others],
        "not_deleted": done.kept,
        "not_found": done.missing,
        "hidden": done.hidden.count,
    }
