"""Answers of the `dlq` verbs: lines for people, one object for programs."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from outbox_cli.dead_letters.deleting import Deletion
from outbox_cli.dead_letters.messages import DeadLetterMessage, InboxState
from outbox_cli.dead_letters.redrive import Redrive, comes_back
from outbox_cli.queue_messages import InFlight
from outbox_cli.shown import proposed


def redrive_lines(done: Redrive) -> list[str]:
    """The result of a redrive, for people."""
    lines = [f"{len(done.moved)} moved.", *come_back_lines(done.moved)]
    if done.undeleted:
        lines.append(
            f"{len(done.undeleted)} were sent but could not be deleted: the next redrive sends them once more, "
            "and the consumer ignores that."
        )
    lines += [f"SQS did not take message {each} ({code})." for each, code in done.refused.items()]
    lines += [_verdict(done), *in_flight_lines(done.in_flight)]
    if done.left:
        lines.append(
            f"{done.left} dead-letter messages were received or deleted by another reader meanwhile: "
            "check `outbox dlq list`, and repeat the command."
        )
    return lines


def in_flight_lines(in_flight: InFlight) -> list[str]:
    """The messages that another reader has in flight, if any."""
    return [f"Not inspected: {in_flight} Repeat the command then."] if in_flight.count else []


def come_back_lines(messages: Sequence[DeadLetterMessage]) -> list[str]:
    """How many messages will be dead-lettered again, if any."""
    count = comes_back(messages)
    why = "the consumer refuses conflicting and unreadable messages every time"
    return [f"{count} will be dead-lettered again after their deliveries: {why}."] if count else []


def _verdict(done: Redrive) -> str:
    if done.not_applied:
        some = ", ".join(done.not_applied[:3])
        return (
            f"{len(done.not_applied)} events have no marker yet, {some} among them: see what the consumer does "
            f"with {proposed('outbox trace', done.not_applied[0])}, or wait longer with --wait."
        )
    if done.moved:
        return "Each event that was moved to be applied has its marker."
    return "No message to move was found." if done.is_complete else "No message to move can be received now."


def redrive_as_json(done: Redrive) -> dict[str, Any]:
    """The result of a redrive, as one object."""
    return {
        "ok": done.ok,
        "moved": len(done.moved),
        "not_applied": done.not_applied,
        "comes_back": done.comes_back,
        "sent_but_not_deleted": len(done.undeleted),
        "refused": done.refused,
        "hidden": done.in_flight.count,
        "left": done.left,
        "complete": done.is_complete,
    }


def message_as_json(message: DeadLetterMessage) -> dict[str, Any]:
    """A message as one object; with its body where that was asked for."""
    return {
        "message_id": message.message_id,
        "state": message.state,
        "event_id": message.event_id,
        "problem": message.problem,
        "sent_at_ms": message.sent_at_ms,
        "receive_count": message.receive_count,
        **({} if message.body is None else {"body": message.body}),
    }


def message_lines(message: DeadLetterMessage) -> list[str]:
    """A message on one line, and its body on another where that was asked for."""
    sent = datetime.fromtimestamp(message.sent_at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    what = f"{message.message_id}  {message.event_id or message.problem}"
    line = f"{message.state:12}{sent}  {what}"
    # As JSON has it: what is deleted can be told, and sent again, to the byte.
    return [line] if message.body is None else [line, json.dumps(message.body)]


def states(messages: Sequence[DeadLetterMessage]) -> dict[str, int]:
    """How many of the messages are in each state."""
    counts = Counter(message.state for message in messages)
    return {state.value: counts[state] for state in InboxState}


def counted(messages: Sequence[DeadLetterMessage]) -> str:
    """How many messages these are, by state."""
    by_state = ", ".join(f"{count} {state}" for state, count in states(messages).items() if count)
    total = "1 message" if len(messages) == 1 else f"{len(messages)} messages"
    return f"{total} ({by_state})" if by_state else total


def deletion_lines(done: Deletion) -> list[str]:
    """How many were deleted, and why the others were not, for people."""
    lines = [f"Left: message {each.message_id} is {each.state}; {_way_of(each)}." for each in done.others]
    lines += [f"Left: SQS did not delete message {each}; repeat the command." for each in done.kept]
    lines += [f"Not found: message {each}; `outbox dlq list` shows what is there." for each in done.missing]
    deleted = f"{len(done.deleted)} {'would be deleted' if done.is_dry_run else 'deleted'}."
    return [*lines, deleted, *in_flight_lines(done.in_flight)]


def _way_of(message: DeadLetterMessage) -> str:
    """What there is to do with a message that was not deleted, being in another state than was wanted."""
    if message.state is InboxState.UNAPPLIED:
        return "redrive it, or its event stays unapplied"
    return f"if that is settled, delete it with --only {message.state}"


def deletion_as_json(done: Deletion) -> dict[str, Any]:
    """How many of the messages that were shown were deleted, and what was not."""
    return {
        "ok": done.ok,
        "dry_run": done.is_dry_run,
        "deleted": len(done.deleted),
        "other_state": [message_as_json(each) for each in done.others],
        "not_deleted": done.kept,
        "not_found": done.missing,
        "hidden": done.in_flight.count,
    }
