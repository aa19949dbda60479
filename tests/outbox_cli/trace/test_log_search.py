"""Any event's lines are found in both log formats, and no other event's."""

import io
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from outbox import log
from outbox_cli.stack.deployed import Stack
from outbox_cli.trace.facts import trace_event

IDS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


class Logs:
    """Log groups with the same lines, searched as CloudWatch does: by a text in quotation marks."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def get_paginator(self, _: str) -> "Logs":
        return self

    def paginate(self, *, logGroupName: str, filterPattern: str = '""') -> list[dict[str, Any]]:  # noqa: N803
        sought = filterPattern[1:-1]
        assert not set(sought) & set('"\\'), "what a pattern escapes again is not known here"
        lines = self._lines if logGroupName == "consumer" else []
        return [{"events": [{"timestamp": 1, "message": each} for each in lines if sought in each]}]


def written(event_ids: list[str], *, as_json: bool) -> list[str]:
    """The lines that the functions write of these events."""
    output = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log, "WRITES_JSON", as_json)
        patch.setattr(sys, "stdout", output)
        for event_id in event_ids:
            log.line("APPLIED", event_id, event_id=event_id)
    return output.getvalue().split("\n")[:-1]


def require_found(event_id: str, others: list[str]) -> None:
    beside = [each for each in others if each != event_id]
    for as_json in (False, True):
        lines = written([event_id, *beside], as_json=as_json)
        outputs = {f"{name}_log_group_name": name for name in ("command", "relay", "consumer")}
        logs = Logs(lines)
        found = trace_event(Stack("test", outputs, lambda _, logs=logs: logs), event_id)  # type: ignore[misc]
        assert len(found) == 1, (event_id, as_json)


def test_every_event_is_found_in_both_log_formats_and_no_other_with_it() -> None:
    sought: list[str] = []

    @given(IDS, st.lists(IDS, max_size=4))
    @example("a", ["a b", "b a", "aa"])
    @example('he said "no"\\', ["he said"])
    @example("é\u2028\n\x1b[31m", ["é"])
    @example("訂單", ["訂"])
    @settings(max_examples=200, deadline=None)
    def search(event_id: str, others: list[str]) -> None:
        sought.append(event_id)
        require_found(event_id, others)

    search()

    print(f"{len(sought)} searches for {len(set(sought))} ids")  # noqa: T201 - the floor's figures
    assert len(sought) >= 200


def test_words_of_another_events_failure_are_no_ids() -> None:
    lines = [
        "RETRY InvalidInputError: JSON is nested too deeply (message m-1)",
        "RETRY KeyError: this body has no such field b-2",
        "RETRY ConflictingContent: b-3 was applied before with conflicting content",
        "RELAY_RETRY NotSentError b-4 a queue did not answer",
        "NOT_STORED b-5 a table did not answer",
        "RELAY_PARKED b-6 the body is too long",
    ]
    outputs = {f"{name}_log_group_name": name for name in ("command", "relay", "consumer")}
    stack = Stack("test", outputs, lambda _: Logs(lines))

    probes = {word for line in lines for word in line.split()[3:-1]} | {"b-2", "b-3", "b-4", "b-5", "b-6"}
    found = {word: [line.text for line in trace_event(stack, word)] for word in probes}

    assert {word: texts for word, texts in found.items() if texts} == {
        f"b-{number}": [lines[number - 1]] for number in range(2, 7)
    }
