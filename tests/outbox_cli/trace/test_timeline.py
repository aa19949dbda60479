"""Timeline of an event: its items and log lines in the order of time."""

import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest
from rich.console import Console

from outbox.canonical import digest
from outbox_cli.trace.facts import EventFacts, LogLine
from outbox_cli.trace.page import timeline_page
from outbox_cli.trace.timeline import Moment, Timeline, timeline_as_json, timeline_of
from outbox_cli.trace.view import since, timeline_view

EVENT = "order-created:a"
START_MS = 1_788_609_600_000  # 2026-09-05T12:00:00Z
STORED: dict[str, Any] = {"kind": "OUTBOX", "body": "{}"}
INJECTED = f"RETRY RuntimeError: INJECTED_AFTER_COMMIT {EVENT}"


def line(function: str, after_ms: int, text: str, stream: str = "one") -> LogLine:
    return LogLine(function, START_MS + after_ms, text, stream)


def facts(
    *lines: LogLine, row: dict[str, Any] | None = STORED, marker: dict[str, Any] | None = STORED
) -> EventFacts:
    return EventFacts(
        EVENT, row, marker, list(lines), {"order_count": 1, "revenue_cents": 1000}, START_MS + 60_000
    )


def seen(timeline: Timeline) -> list[tuple[str, str, int | None]]:
    return [
        (moment.stage, moment.what, None if moment.at_ms is None else moment.at_ms - START_MS)
        for moment in timeline.moments
    ]


def test_event_applied_goes_from_the_command_to_the_total() -> None:
    timeline = timeline_of(
        facts(
            line("command", 0, f"ACCEPTED {EVENT}"),
            line("relay", 200, f"FORWARDED {EVENT}"),
            line("consumer", 300, f"APPLIED {EVENT}"),
        )
    )

    assert seen(timeline) == [
        ("command", "ACCEPTED", 0),
        ("outbox row", "stored", 0),
        ("relay", "FORWARDED", 200),
        ("delivery", "APPLIED", 300),
        ("marker", "stored", 300),
        ("total", "order_count 1, revenue_cents 1000", 60_000),
    ]
    assert [moment.source for moment in timeline.moments] == [
        "command log",
        "commit of ACCEPTED",
        "relay log",
        "consumer log",
        "commit of APPLIED",
        "read now",
    ]
    assert (timeline.verdict, timeline.applied) == ("Applied once.", True)


def test_two_lines_of_a_delivery_that_failed_after_its_commit_are_one_moment() -> None:
    timeline = timeline_of(
        facts(
            line("consumer", 0, f"APPLIED {EVENT}", "one"),
            line("consumer", 1, f"DUPLICATE_IGNORED {EVENT}", "two"),
            line("consumer", 1, INJECTED, "one"),
        )
    )

    deliveries = [moment for moment in timeline.moments if moment.stage == "delivery"]
    assert [(each.what, each.failed) for each in deliveries] == [
        ("APPLIED, then INJECTED_AFTER_COMMIT", True),
        ("DUPLICATE_IGNORED", False),
    ]
    assert timeline.verdict == "Applied once, delivered 2 times."


def test_failure_of_another_delivery_in_the_same_stream_stays_one_of_its_own() -> None:
    timeline = timeline_of(facts(line("consumer", 0, f"APPLIED {EVENT}"), line("consumer", 5, CONFLICT)))

    deliveries = [moment for moment in timeline.moments if moment.stage == "delivery"]
    assert [(each.at_ms, each.failed) for each in deliveries] == [(START_MS, False), (START_MS + 5, True)]
    assert deliveries[1].what == "RETRY ConflictingContent: was applied before with conflicting content"
    assert "Messages with other content under its id were refused" in timeline.verdict


CONFLICT = f"RETRY ConflictingContent: {EVENT} was applied before with conflicting content"
BODY = '{"amount_cents":1000,"event_id":"order-created:a","order_id":"order-a"}'
BODY_DIGEST = digest(json.loads(BODY))


@pytest.mark.parametrize(
    ("stored_digest", "verdict"),
    [
        (
            BODY_DIGEST,
            "Applied once, delivered 2 times. Messages with other content under its id were refused",
        ),
        (
            "of another body",
            "Applied with other content than its outbox row has: `outbox reconcile` names",
        ),
    ],
)
def test_event_with_conflicting_contents_is_not_shown_as_all_is_well(
    stored_digest: str, verdict: str
) -> None:
    timeline = timeline_of(
        facts(
            line("consumer", 0, f"APPLIED {EVENT}"),
            line("consumer", 5, CONFLICT),
            row=STORED | {"body": BODY},
            marker={"digest": stored_digest},
        )
    )
    console = Console(width=200, record=True, file=io.StringIO(), force_terminal=True)
    console.print(timeline_view(timeline))

    assert (timeline.applied, timeline.conflicting) == (True, True)
    assert timeline.verdict.startswith(verdict)
    assert '<p class="verdict conflicting">' in timeline_page(timeline)
    assert f"\x1b[31m{timeline.verdict[:30]}" in console.export_text(styles=True)


def test_event_without_a_conflict_is_green() -> None:
    timeline = timeline_of(facts(row={"body": BODY}, marker={"digest": BODY_DIGEST}))

    assert not timeline.conflicting
    assert '<p class="verdict applied">' in timeline_page(timeline)


def test_items_whose_log_lines_are_gone_have_no_time_and_stand_at_their_place() -> None:
    timeline = timeline_of(facts(line("consumer", 9, f"DUPLICATE_IGNORED {EVENT}")))

    assert seen(timeline)[:3] == [
        ("outbox row", "stored", None),
        ("delivery", "DUPLICATE_IGNORED", 9),
        ("marker", "stored", None),
    ]
    assert [moment.source for moment in timeline.moments[::2]] == ["source table", "projection table"]


def test_event_that_the_reconciler_healed_shows_it_between_relay_and_delivery() -> None:
    timeline = timeline_of(
        facts(
            line("command", 0, f"ACCEPTED {EVENT}"),
            line("reconciler", 9000, f"HEALED {EVENT}"),
            line("consumer", 9000, f"APPLIED {EVENT}"),
        )
    )

    assert [moment.stage for moment in timeline.moments][2:4] == ["reconciler", "delivery"]


def test_relay_whose_clock_is_behind_comes_after_what_it_relayed() -> None:
    timeline = timeline_of(
        facts(line("relay", 0, f"FORWARDED {EVENT}"), line("command", 13, f"ACCEPTED {EVENT}"), marker=None)
    )

    assert [moment.stage for moment in timeline.moments] == ["command", "outbox row", "relay", "total"]
    assert since(START_MS + 13, timeline.moments[2]) == "-13 ms"


def test_event_sent_by_hand_before_its_order_was_placed_stays_before_it() -> None:
    timeline = timeline_of(
        facts(line("command", 5000, f"ACCEPTED {EVENT}"), line("consumer", 0, f"APPLIED {EVENT}"))
    )

    assert [moment.stage for moment in timeline.moments][:3] == ["delivery", "marker", "command"]


def test_row_that_tells_its_minute_has_that_time() -> None:
    timeline = timeline_of(facts(row={"stored_minute": "2026-09-05T12:00"}))

    assert timeline.moments[0] == Moment("outbox row", "stored", START_MS, "source table, to the minute")


@pytest.mark.parametrize("minute", ["2026-09-05T12:00Z", "yesterday", 1])
def test_row_whose_minute_is_none_has_no_time(minute: object) -> None:
    timeline = timeline_of(facts(row={"stored_minute": minute}))

    assert timeline.moments[0] == Moment("outbox row", "stored", None, "source table")


@pytest.mark.parametrize(
    ("known", "verdict"),
    [
        (facts(marker=None), "Stored, not known to be relayed: wait a moment; if it stays so, run `outbox"),
        (facts(row={"kind": "OUTBOX"}, marker=None), "Parked: the relay can"),
        (
            facts(line("relay", 0, f"FORWARDED {EVENT}"), marker=None),
            "Sent, not yet delivered: wait a moment, then check `outbox status` and `outbox dlq list`.",
        ),
        (
            facts(line("consumer", 0, f"RETRY NotStoredError: {EVENT}"), marker=None),
            "Delivered, not applied: wait for its next delivery, or check `outbox dlq list`",
        ),
        (
            facts(line("relay", 0, f"RELAY_PARKED {EVENT} the body is missing"), row=None, marker=None),
            "Neither an outbox row nor a marker is stored: it was abandoned, or its row was deleted.",
        ),
        (
            facts(row=None),
            "Applied once; no outbox row is stored: it was sent by hand, or its row has expired",
        ),
    ],
)
def test_verdict_says_what_has_become_of_the_event_and_what_to_do(known: EventFacts, verdict: str) -> None:
    assert timeline_of(known).verdict.startswith(verdict)


def test_command_whose_outcome_is_not_known_is_a_failed_moment_beside_the_accepted_one() -> None:
    lines = (line("command", 0, f"NOT_STORED {EVENT} Read timeout"), line("command", 5, f"ACCEPTED {EVENT}"))

    moments = timeline_of(facts(*lines, marker=None)).moments

    commands = {each.what: each.failed for each in moments if each.source == "command log"}
    assert commands == {"NOT_STORED Read timeout": True, "ACCEPTED": False}


def test_timeline_as_json_has_times_as_text_and_none_where_not_known() -> None:
    answer = json.loads(json.dumps(timeline_as_json(timeline_of(facts()))))

    assert [moment["at"] for moment in answer["moments"]] == [None, None, "2026-09-05T12:01:00.000+00:00"]
    assert answer["verdict"] == "Applied once."


def test_timeline_of_nothing_but_a_row_without_a_time_is_shown() -> None:
    timeline = timeline_of(replace(facts(marker=None), totals={}))
    console = Console(width=80, record=True, file=io.StringIO())

    console.print(timeline_view(timeline))

    assert "not known ● outbox row stored source table" in " ".join(console.export_text().split())
    assert "source table" in timeline_page(timeline)


def test_timeline_fits_a_terminal_of_80_columns() -> None:
    console = Console(width=80, record=True, file=io.StringIO())

    console.print(timeline_view(timeline_of(facts(line("consumer", 0, INJECTED), marker=None))))

    shown = console.export_text(clear=False).splitlines()
    assert max(map(len, shown)) <= 80
    assert shown[0].strip() == f"{EVENT}  2026-09-05, times in UTC"
    assert "12:01:00.000 ● total order_count 1, revenue_cents 1000 read now" in " ".join(
        "".join(shown).split()
    )


class Elements(HTMLParser):
    """The elements of a page, and the values that could load something from elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loaded += [name for name, _ in attrs if name in {"src", "href", "srcset", "onerror"}]


def test_page_needs_nothing_from_elsewhere_and_escapes_what_it_shows() -> None:
    hostile = '<img src="http://example.com/x" onerror="alert(1)">'
    moments = [Moment("delivery", hostile, START_MS, hostile)]
    timeline = Timeline(hostile, moments, hostile, False, False, {hostile: hostile})

    page = timeline_page(timeline)

    elements = Elements(page)
    assert "img" not in elements.tags
    assert elements.loaded == []
    assert "url(" not in page
    assert "@import" not in page
    assert page.count("&lt;img src=&quot;http://example.com/x&quot;") == 7
    assert "prefers-color-scheme: dark" in page


def test_page_shows_every_moment_with_its_time_and_source() -> None:
    timeline = timeline_of(facts(line("consumer", 1500, INJECTED)))

    page = timeline_page(timeline)

    assert Elements(page).tags.count("li") == len(timeline.moments)
    assert '<time datetime="2026-09-05T12:00:01.500+00:00">12:00:01.500' in page
    assert "consumer log" in page
    assert 'class="delivery failed"' in page
