"""The results as tables for people: what was not measured has no line."""

from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console
from rich.table import Table

from tools.benchmarks.paired import Document
from tools.benchmarks.pipeline import CASES
from tools.benchmarks.targets import TARGETS

SURROUNDINGS = ("date", "machine", "versions", "quick", "part_seconds")


def show(document: Document, console: Console) -> None:
    """Prints every figure by its path in the document: by case, against its bound, and the rest."""
    measured = {name: value for name, value in document.items() if name not in SURROUNDINGS}
    figures = dict(_leaves(measured))
    bounds = {target.path for target in TARGETS}
    by_case: dict[str, dict[str, str]] = {}
    others: list[list[str]] = []
    for path, value in figures.items():
        [case] = [name for name in path.split(".") if name in CASES][:1] or [""]
        if case and "ratio" not in path and not path.startswith(("start", "bundle")):
            by_case.setdefault(path.replace(f".{case}", ""), {})[case] = value
        elif path not in bounds:
            others.append([path, value])
    cases = [[path, *(row.get(case, "") for case in CASES)] for path, row in by_case.items()]
    load = " ".join(f"{load:.1f}" for load in document["machine"]["load_average"])
    for title, headings, rows in (
        ("By case", ["figure", *CASES], cases),
        ("To reach", ["figure", "measured", "bound", ""], list(_targets(document))),
        ("And", ["figure", "measured"], [*others, ["load average", load]]),
    ):
        if rows:
            console.print(_table(title, headings, rows))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, f"{path}.{name}" if path else name)
    elif not isinstance(value, list):
        yield path, f"{value:,.4g}" if isinstance(value, float) else str(value)


def _targets(document: Document) -> Iterator[list[str]]:
    for target in TARGETS:
        value = target.value(document)
        if value is not None:
            sign = ">=" if target.at_least else "<="
            verdict = "[green]met[/]" if target.is_met(document) else "[bold red]MISSED[/]"
            if not target.is_judged(document):
                verdict = "too few rounds"
            yield [target.path, f"{value:.3f}", f"{sign} {target.bound:g}", verdict]


def _table(title: str, headings: Iterable[str], rows: Iterable[list[str]]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
