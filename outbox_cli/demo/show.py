"""Shows a run of the demo: live while it runs, then the tables of what was seen and stored."""

from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from outbox_cli.demo.stepping import StepResult
from outbox_cli.shown import styled
from outbox_cli.trace.facts import LogLine

if TYPE_CHECKING:  # it needs Pulumi, and other verbs show steps too
    from outbox_cli.demo.run import DemoResult


class Quiet:
    """Says nothing while the demo runs: for output that a program reads."""

    def doing(self, what: str) -> None:
        """Says nothing."""

    def done(self, result: StepResult) -> None:
        """Says nothing."""


class Live:
    """One line for each step that is done; on a terminal, what is being done now below them."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._status = Status("", console=console)

    def __enter__(self) -> "Live":
        """Starts to show what is being done now."""
        if self._console.is_terminal:
            self._status.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Takes the line of what is being done away."""
        self._status.stop()

    def doing(self, what: str) -> None:
        """Shows what is being done now; where nobody watches, the steps' results are enough."""
        self._status.update(styled(f"{what} ..."))

    def done(self, result: StepResult) -> None:
        """Prints the result of a step."""
        print_step(self._console, result)


def print_step(console: Console, result: StepResult) -> None:
    """Prints a step with what was seen, and with what was expected where that differs."""
    if result.ok:
        console.print(Text("ok  ", "green"), f"{result.name}: {result.seen}")
        return
    console.print(Text("FAIL", "bold red"), result.name)
    console.print(f"     expected: {result.expected}")
    console.print(f"     seen:     {result.seen}")


def show_result(console: Console, result: "DemoResult") -> None:
    """Prints the items of both tables, the life of each event, and the verdict."""
    console.print(_items("Source table", result.source_items))
    console.print(_items("Projection table", result.projection_items))
    for event_id, lines in result.paths.items():
        console.print(path_table(event_id, lines))
    console.print(verdict(result))


def verdict(result: "DemoResult") -> Text:
    """The whole run in one line."""
    held = sum(step.ok for step in result.steps)
    sentence = (
        f"All {held} steps held: {result.totals}"
        if result.ok
        else f"Step {held + 1} did not hold: {result.steps[-1].name}"
    )
    resources = sum(result.resources.values())
    return styled(f"{sentence} ({resources} resources, {result.seconds} s).", "bold")


def path_table(event_id: str, lines: list[LogLine]) -> Table:
    """Log lines of one event, with the seconds since the first."""
    table = _table(f"Life of {event_id}", "after", "function", "what it logged")
    for line in lines:
        seconds = (line.at_ms - lines[0].at_ms) / 1000
        table.add_row(f"{seconds:.2f} s", line.function, line.text.removesuffix(f" {event_id}"))
    return table


def as_json(result: "DemoResult") -> dict[str, Any]:
    """The result as one object, for `outbox demo --json`."""
    return {
        "ok": result.ok,
        "steps": [vars(step) for step in result.steps],
        "totals": vars(result.totals),
        "resources": result.resources,
        "seconds": result.seconds,
    }


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _items(title: str, items: list[dict[str, Any]]) -> Table:
    table = _table(title, "PK", "SK", "attributes")
    for item in sorted(items, key=lambda each: (each["PK"], each["SK"])):
        rest = [f"{name}={value}" for name, value in item.items() if name not in ("PK", "SK")]
        table.add_row(item["PK"], item["SK"], "  ".join(rest))
    return table
