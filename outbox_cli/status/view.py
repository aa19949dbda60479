"""Shows a stack's status as a table that fits a terminal of 80 columns."""

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from outbox_cli.durations import MILLISECONDS, duration
from outbox_cli.shown import shown, styled
from outbox_cli.status.report import MappingState, StackStatus
from outbox_cli.status.stored import QueueCounts, amounts_text
from outbox_cli.status.table_counts import TableCount

WANTED_STATE = "Enabled"


def status_view(status: StackStatus) -> RenderableType:
    """The status for people: what is stored, what waits, and what moves it; red is what asks for somebody."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for name, count in status.tables.items():
        table.add_row(f"{name} table", table_words(count))
    if status.totals:
        table.add_row("totals", amounts_text(status.totals))
    oldest = status.oldest_message_seconds
    table.add_row("delivery queue", _queue(status.queue, oldest["queue"]))
    dead = _queue(status.dead_letter_queue, oldest["dead_letter_queue"])
    table.add_row("dead-letter queue", Text(dead, style="" if status.dead_letter_queue.empty else "bold red"))
    for name, mapping in status.mappings.items():
        table.add_row(f"{name} mapping", _mapping(mapping))
    lag = status.iterator_lag_ms
    table.add_row("iterator lag", duration(None if lag is None else lag / MILLISECONDS))
    when = status.read_at.strftime("%Y-%m-%d %H:%M:%S %Z")
    return Group(styled(f"Stack {status.stack} at {when}", "dim"), table)


def table_words(count: TableCount) -> str:
    """The number of items, by kind where they were counted one by one."""
    items = "1 item" if count.items == 1 else f"{count.items} items"
    if count.by_kind is None:
        return f"about {items}, as DynamoDB counted them in the last six hours; --exact counts now"
    kinds = ", ".join(f"{number} {kind}" for kind, number in count.by_kind.items())
    return f"{items}: {kinds}" if kinds else items


def _queue(counts: QueueCounts, oldest_seconds: float | None) -> str:
    waiting = f"{counts.available} available, {counts.in_flight} in flight"
    return f"{waiting}; oldest message {duration(oldest_seconds)}"


def _mapping(mapping: MappingState) -> Text:
    state = styled(mapping.state, "" if mapping.state == WANTED_STATE else "bold red")
    return state.append(shown(f"; last result: {mapping.last_result}"), style="default not bold")
