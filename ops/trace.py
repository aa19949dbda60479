"""Follows one event through the logs of the three functions."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from ops.stack import FUNCTIONS, Stack


@dataclass(frozen=True)
class LogLine:
    """One line that a function wrote; the time in milliseconds since 1970."""

    function: str
    at_ms: int
    text: str


def read_log(stack: Stack, function: str, pattern: str = "") -> Iterator[LogLine]:
    """The lines of a function's log group that contain the text, oldest first as CloudWatch has them.

    Args:
        stack: where to look.
        function: `command`, `relay` or `consumer`.
        pattern: text to search; empty for every line.
    """
    pages = (
        stack.clients("logs")
        .get_paginator("filter_log_events")
        .paginate(
            logGroupName=stack[f"{function}_log_group_name"],
            **({"filterPattern": f'"{pattern}"'} if pattern else {}),
        )
    )
    for page in pages:
        for event in page["events"]:
            yield LogLine(function, event["timestamp"], _words(event["message"].rstrip("\n")))


def _words(line: str) -> str:
    """What a line says: under the log format JSON, an object's `message` has the words of the text format."""
    try:
        entry = json.loads(line)
    except ValueError:
        return line
    return str(entry["message"]) if isinstance(entry, dict) and "message" in entry else line


def trace_event(stack: Stack, event_id: str) -> list[LogLine]:
    """Every line about one event, in the order of time and, within a millisecond, of the event's way."""
    lines = [
        line
        for function in FUNCTIONS
        for line in read_log(stack, function, event_id)
        # The search finds a longer id that begins the same; the line itself names exactly one.
        if event_id in line.text.split()
    ]
    return sorted(lines, key=lambda line: line.at_ms)
