"""Shows a sample: as a small picture for a terminal, or as one line elsewhere."""

from datetime import UTC, datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from outbox_cli.durations import MILLISECONDS
from outbox_cli.shown import shown
from outbox_cli.status.stored import amounts_text
from outbox_cli.trace.facts import LogLine
from outbox_cli.trace.view import clock
from outbox_cli.watch.samples import COUNTED, LINES_KEPT, Sample

FAILURE_WORDS = {word for word, counted in COUNTED.items() if counted == "failures"}
LINES_BESIDE = 8  # the lines of the picture that are no log lines


def sample_view(sample: Sample, height: int) -> RenderableType:
    """The path of the events with a number at each place, and the newest log lines that fit.

    Args:
        sample: what to show.
        height: the terminal's lines.
    """
    newest = sample.last_lines[-max(1, min(LINES_KEPT, height - LINES_BESIDE)) :]
    return Group(_title(sample), Text(), _places(sample), Text(), _log(newest))


def sample_line(sample: Sample) -> str:
    """The same numbers as one line."""
    numbers = [f"{name} {number.plain}" for name, number in _numbers(sample)]
    return f"{clock(sample.read_at)} {', '.join([*numbers, *filter(None, [amounts_text(sample.totals)])])}"


def _title(sample: Sample) -> Text:
    title = Text(no_wrap=True, overflow="ellipsis")
    title.append(shown(f"Stack {sample.stack}"), style="bold")
    title.append(f"  {clock(sample.read_at)} UTC  ", style="dim")
    title.append(amounts_text(sample.totals), style="bold")
    return title.append(f"  log counted since {sample.since:%H:%M:%S}", style="dim")


def _places(sample: Sample) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    numbers = _numbers(sample)
    for name, _ in numbers:
        table.add_column(name, justify="right", header_style="dim", no_wrap=True)
    table.add_row(*(number for _, number in numbers))
    return table


def _numbers(sample: Sample) -> list[tuple[str, Text]]:
    """A number for each place on the path, in order."""
    waiting = sample.queue.available + sample.queue.in_flight
    dead = sample.dead_letter_queue.available + sample.dead_letter_queue.in_flight
    rows = "many" if sample.outbox_rows is None else str(sample.outbox_rows)
    failures = sample.logged["failures"]
    return [
        ("accepted", Text(str(sample.logged["accepted"]))),
        ("outbox rows", Text(rows)),
        ("relayed", Text(str(sample.logged["relayed"]))),
        ("in queue", Text(str(waiting))),
        ("applied", Text(str(sample.logged["applied"]), "green")),
        ("duplicates", Text(str(sample.logged["duplicates"]))),
        ("failures", Text(str(failures), "yellow" if failures else "")),
        ("dead", Text(str(dead), "bold red" if dead else "")),
    ]


def _log(lines: tuple[LogLine, ...]) -> RenderableType:
    if not lines:
        return Text("no log line yet", style="dim")
    return Group(*map(_log_line, lines))


def _log_line(line: LogLine) -> Text:
    at = datetime.fromtimestamp(line.at_ms / MILLISECONDS, UTC)
    told = Text(f"{clock(at)} ", style="dim", no_wrap=True, overflow="ellipsis")
    told.append(f"{line.function:10} ", style="not dim bold")
    failed = line.text.partition(" ")[0] in FAILURE_WORDS
    return told.append(shown(line.text), style="not dim yellow" if failed else "not dim")
