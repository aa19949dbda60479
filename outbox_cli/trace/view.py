"""Draws an event's way for a terminal of 80 columns."""

from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from outbox_cli.durations import MILLISECONDS, duration
from outbox_cli.shown import shown, styled
from outbox_cli.trace.timeline import Moment, Timeline, time_of

GOOD, BAD, OPEN, NOW = "green", "red", "yellow", "dim"
LONGEST_WORD = len("INJECTED_AFTER_COMMIT")


def timeline_view(timeline: Timeline) -> RenderableType:
    """The timeline for people: when, how long after the first moment, where, what, and how that is known."""
    table = Table(box=None, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(no_wrap=True, style="dim")
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, style="bold")
    table.add_column(overflow="fold", min_width=LONGEST_WORD)
    table.add_column(overflow="fold", style="dim")
    start = next((moment.at_ms for moment in timeline.moments if moment.at_ms is not None), 0)
    for moment in timeline.moments:
        table.add_row(
            clock(time_of(moment)),
            "" if moment.stage == "total" else since(start, moment),
            Text("●", style=_style(moment)),
            moment.stage,
            styled(moment.what, BAD if moment.failed else ""),
            moment.source,
        )
    day = time_of(timeline.moments[0]) or time_of(timeline.moments[-1])
    title = Text(shown(timeline.event_id), style="bold", overflow="fold")
    if day is not None:
        title.append(f"  {day:%Y-%m-%d}, times in UTC", style="dim not bold")
    verdict = BAD if timeline.conflicting else GOOD if timeline.applied else OPEN
    headers = [styled(f"{name}: {value}", "dim") for name, value in timeline.headers.items()]
    return Group(title, *headers, table, Text(timeline.verdict, style=verdict))


def clock(at: datetime | None) -> str:
    """The time of day, to the millisecond."""
    return at.strftime("%H:%M:%S.%f")[:-3] if at else "not known"


def since(start_ms: int, moment: Moment) -> str:
    """How long after the start it happened, or before it by its own clock; nothing where that is not known."""
    if moment.at_ms is None or moment.at_ms == start_ms:
        return ""
    sign = "-" if moment.at_ms < start_ms else "+"
    return f"{sign}{duration(abs(moment.at_ms - start_ms) / MILLISECONDS)}"


def _style(moment: Moment) -> str:
    if moment.failed:
        return BAD
    return NOW if moment.stage == "total" else GOOD
