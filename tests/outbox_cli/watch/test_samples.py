"""What `outbox watch` counts and shows."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from rich.console import Console

from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import QueueCounts, Totals
from outbox_cli.status.table_counts import TableCount
from outbox_cli.trace.facts import LogLine
from outbox_cli.watch import commands
from outbox_cli.watch.samples import (
    LINES_KEPT,
    NOTHING,
    OVERLAP_MS,
    LogTally,
    Sample,
    sample_as_json,
    samples,
)
from outbox_cli.watch.view import sample_line, sample_view
from tests.outbox_cli.verbs import run_verb

NOW = datetime(2026, 9, 5, 12, 0, tzinfo=UTC)
NOW_MS = 1_788_609_600_000


def line(text: str, at_ms: int = NOW_MS, function: str = "consumer") -> LogLine:
    return LogLine(function, at_ms, text, "one")


SAMPLE = Sample(
    stack="prod",
    since=NOW,
    read_at=NOW,
    logged=NOTHING | {"accepted": 12, "relayed": 11, "applied": 10, "failures": 2},
    source_table=TableCount(24, {"ORDER": 12, "OUTBOX": 12}, exact=True),
    queue=QueueCounts(1, 2),
    dead_letter_queue=QueueCounts(1, 0),
    totals=Totals(10, 5000),
    last_lines=tuple(line(f"RETRY {'x' * 200} {n}", NOW_MS + n) for n in range(LINES_KEPT)),
)


def test_lines_that_two_reads_share_are_counted_once() -> None:
    tally = LogTally(since_ms=0)

    tally.take([line("APPLIED a"), line("START RequestId: 1")])
    tally.take([line("APPLIED a"), line("DUPLICATE_IGNORED a", NOW_MS + 1)])

    assert tally.counts == NOTHING | {"applied": 1, "duplicates": 1}
    assert [each.text for each in tally.last_lines] == ["APPLIED a", "DUPLICATE_IGNORED a"]


def test_same_line_twice_in_a_millisecond_counts_twice() -> None:
    tally = LogTally(since_ms=0)

    tally.take([line("DUPLICATE_IGNORED a")])
    tally.take([line("DUPLICATE_IGNORED a"), line("DUPLICATE_IGNORED a")])

    assert tally.counts["duplicates"] == 2


def test_line_that_comes_late_is_counted_if_the_overlap_reaches_it() -> None:
    tally = LogTally(since_ms=0)

    tally.take([line("APPLIED b", NOW_MS)])
    late = line("APPLIED a", NOW_MS - OVERLAP_MS)
    tally.take([late, line("APPLIED b", NOW_MS)])

    assert tally.counts["applied"] == 2
    assert tally.read_from_ms == late.at_ms


def test_lines_are_forgotten_when_no_read_can_meet_them_again() -> None:
    tally = LogTally(since_ms=0)

    for n in range(100):
        tally.take([line(f"APPLIED {n}", NOW_MS + n * OVERLAP_MS)])

    assert tally.counts["applied"] == 100
    assert len(tally._seen) <= 2


class Logs:
    """Log groups of which the consumer's has what it was told last."""

    def __init__(self) -> None:
        self.asked_from: list[int] = []

    def get_paginator(self, _: str) -> "Logs":
        return self

    def paginate(self, *, logGroupName: str, startTime: int) -> list[dict[str, Any]]:  # noqa: N803 botocore's names
        self.asked_from.append(startTime)
        written = {"timestamp": NOW_MS, "message": "APPLIED order-created:a\n", "logStreamName": "one"}
        return [{"events": [written] if logGroupName == "consumer" else []}]


@pytest.fixture
def watched(stack: Stack) -> Stack:
    logs = Logs()
    outputs = {
        **stack.outputs,
        **{f"{name}_log_group_name": name for name in ("command", "relay", "consumer")},
    }
    return Stack("test", outputs, lambda service: logs if service == "logs" else stack.clients(service))


def test_samples_are_taken_at_the_interval_and_read_logs_only_from_where_they_were(watched: Stack) -> None:
    slept: list[float] = []

    taken = list(
        samples(watched, back_seconds=60, interval_seconds=2, most=3, now=lambda: NOW, sleep=slept.append)
    )

    assert slept == [2, 2]
    assert [sample.logged["applied"] for sample in taken] == [1, 1, 1]
    assert taken[0].outbox_rows == 0
    assert watched.clients("logs").asked_from[::3] == [NOW_MS - 60_000, *[NOW_MS - OVERLAP_MS] * 2]


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("height", [10, 24, 60])
def test_sample_fits_the_terminal(width: int, height: int) -> None:
    console = Console(width=width, record=True, file=io.StringIO())

    console.print(sample_view(SAMPLE, height))

    shown = console.export_text().splitlines()
    assert max(map(len, shown)) <= width
    assert len(shown) <= height
    assert shown[-1].startswith("12:00:00.019 consumer   RETRY xxx")


def test_sample_as_a_line_has_every_number() -> None:
    assert sample_line(SAMPLE) == (
        "12:00:00.000 accepted 12, outbox rows 12, relayed 11, in queue 3, applied 10, duplicates 0, "
        "failures 2, dead 1, 10 orders, 5000 cents"
    )


def test_sample_of_a_table_too_large_to_count_says_many() -> None:
    large = replace(SAMPLE, source_table=TableCount(10**7, None, exact=False))

    assert "outbox rows many," in sample_line(large)
    assert sample_as_json(large)["outbox_rows"] is None


def test_watch_in_json_is_one_object_with_as_many_samples_as_asked(
    watched: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: watched)

    once = run_verb(monkeypatch, "watch", "--json")
    one = json.loads(capsys.readouterr().out)
    twice = run_verb(monkeypatch, "watch", "--json", "--count", "2", "--interval", "0.5")
    two = json.loads(capsys.readouterr().out)

    assert (once, twice) == (0, 0)
    assert [len(answer["samples"]) for answer in (one, two)] == [1, 2]
    assert one["samples"][0]["queue"] == {"available": 0, "in_flight": 0}


def test_watch_that_is_interrupted_ends_as_every_verb_does(
    watched: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> Iterator[Sample]:
        yield SAMPLE
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "chosen_stack", lambda *_: watched)
    monkeypatch.setattr(commands, "samples", interrupted)

    with pytest.raises(KeyboardInterrupt):  # which outbox_cli.entry turns into exit code 130
        run_verb(monkeypatch, "watch")

    assert capsys.readouterr().out == f"{sample_line(SAMPLE)}\n"


def test_watch_where_no_terminal_is_prints_a_line_for_each_look(
    watched: Stack, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "chosen_stack", lambda *_: watched)

    code = run_verb(monkeypatch, "watch", "--count", "2", "--interval", "0.5")

    lines = capsys.readouterr().out.splitlines()
    assert code == 0
    assert len(lines) == 2
    assert all("accepted 0, outbox rows 0" in each for each in lines)
