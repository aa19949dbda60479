"""Follows one event through the logs of the functions, and finds what both tables hold of it."""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from outbox.texts import printable
from outbox_cli.domain import domain_of
from outbox_cli.errors import OperatorError
from outbox_cli.stack.deployed import Stack, functions_of
from outbox_cli.status.stored import plain_item, read_amounts

# Lines that end with their event's id, which may have spaces: no shorter id is meant.
ENDING_WITH_ID = frozenset(
    {
        *("ACCEPTED", "ALREADY_ACCEPTED", "FORWARDED", "APPLIED", "DUPLICATE_IGNORED"),
        *("HEALED", "RECONCILER_CONFLICTING"),
    }
)

# Lines that name the error's class before the id.
BEFORE_ERROR = frozenset({"RETRY", "RELAY_RETRY"})


@dataclass(frozen=True)
class LogLine:
    """One line that a function wrote; the time in milliseconds since 1970."""

    function: str
    at_ms: int
    text: str
    stream: str = ""
    """The log stream, one for each environment of the function: lines of two of them may be mixed in time."""
    event_id: str | None = None
    """The event that it names in a field of its own, under the log format JSON."""


@dataclass(frozen=True)
class EventFacts:
    """All that is known of one event; an item is None where the table has none."""

    event_id: str
    row: dict[str, Any] | None
    marker: dict[str, Any] | None
    lines: list[LogLine]
    totals: dict[str, int]
    read_at_ms: int


def read_facts(stack: Stack, named: str, now: Callable[[], float] = time.time) -> EventFacts:
    """The items and log lines of an event, named by its own id or by that of its order or other entity.

    Raises:
        OperatorError: they know nothing of it.
    """
    domain = domain_of(stack)
    meant = [*(each.format(named) for each in (domain.event_ids if domain else ())), named]
    items = {
        each: (
            read_item(stack, "source", f"OUTBOX#{each}", "EVENT"),
            read_item(stack, "projection", f"INBOX#{each}", "EVENT"),
        )
        for each in meant
    }
    # A search of the logs takes long: first those of an event that is stored.
    for event_id in sorted(meant, key=lambda each: not any(items[each])):
        (row, marker), lines = items[event_id], trace_event(stack, event_id)
        if row or marker or lines:
            return EventFacts(event_id, row, marker, lines, read_amounts(stack, domain), int(now() * 1000))
    raise OperatorError(
        f"Neither tables nor logs know {named!r}: check the id (an event's, or that of an entity such as an order), "
        "or wait a moment if it was sent just now."
    )


def read_item(stack: Stack, table: str, partition: str, sort: str) -> dict[str, Any] | None:
    """One item of the `source` or the `projection` table, strongly consistent."""
    item = (
        stack.clients("dynamodb")
        .get_item(
            TableName=stack[f"{table}_table_name"],
            Key={"PK": {"S": partition}, "SK": {"S": sort}},
            ConsistentRead=True,
        )
        .get("Item")
    )
    return plain_item(item) if item else None


def read_log(stack: Stack, function: str, pattern: str = "", since_ms: int = 0) -> Iterator[LogLine]:
    """The lines of a function's log group that contain the text, oldest first as CloudWatch has them.

    Args:
        stack: where to look.
        function: one of `outbox_cli.stack.deployed.functions_of`.
        pattern: text to search; empty for every line.
        since_ms: leaves older lines out; milliseconds since 1970.
    """
    pages = (
        stack.clients("logs")
        .get_paginator("filter_log_events")
        .paginate(
            logGroupName=stack[f"{function}_log_group_name"],
            **({"filterPattern": f'"{pattern}"'} if pattern else {}),
            **({"startTime": since_ms} if since_ms else {}),
        )
    )
    for page in pages:
        for event in page["events"]:
            text, event_id = _words(event["message"].rstrip("\n"))
            yield LogLine(function, event["timestamp"], text, event.get("logStreamName", ""), event_id)


def pattern_of(event_id: str) -> str:
    """Filter pattern for an event's lines in both log formats: the longest part of its id that neither escapes.

    A filter pattern escapes in its own way again, and JSON writes other than ASCII in escapes. An id without such a
    part is sought in every line.
    https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
    """
    return max(re.findall(r"[A-Za-z0-9_.:#/-]+", event_id), key=len, default="")


def tells_of(line: LogLine, event_id: str) -> bool:
    """Whether a line is about this event: JSON names it; in text, the first word tells where the escaped id is.

    An id among the words of an error's message is a word of that message.
    """
    if line.event_id is not None:
        return line.event_id == event_id
    word, _, rest = line.text.partition(" ")
    shown = printable(event_id)
    if word in ENDING_WITH_ID:
        return rest == shown
    if word in BEFORE_ERROR:
        _, _, rest = rest.partition(" ")
    return f"{rest} ".startswith(f"{shown} ") or (word == "RETRY" and rest.endswith(f" {shown}"))


def _words(line: str) -> tuple[str, str | None]:
    """Words of a line, and its event: under the log format JSON, `message` of the object has the words."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line, None
    if not isinstance(entry, dict) or "message" not in entry:
        return line, None
    event_id = entry.get("event_id")
    return str(entry["message"]), event_id if isinstance(event_id, str) else None


def trace_event(stack: Stack, event_id: str) -> list[LogLine]:
    """Every line about one event, in the order of time and, within a millisecond, of the event's way."""
    lines = [
        line
        for function in functions_of(stack)
        for line in read_log(stack, function, pattern_of(event_id))
        # The search finds a longer id that begins the same; the line itself names exactly one.
        if tells_of(line, event_id)
    ]
    return sorted(lines, key=lambda line: line.at_ms)
