"""The results as tables for people: what was not measured has no line."""

from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table

from tools.benchmarks.part import Document
from tools.benchmarks.pipeline import CASES
from tools.benchmarks.targets import TARGETS

BYTES_A_KILOBYTE = 1000


def show(document: Document, console: Console) -> None:
    """Prints every figure: by case, against its bound, and the rest."""
    for table in (_by_case(document), _targets(document), _others(document)):
        if table.row_count:
            console.print(table)


def _by_case(document: Document) -> Table:
    units = (
        ("write units", "units", "wru", ".2f"),
        ("SQS requests", "units", "sqs_requests", ".2f"),
        ("consumer's invocations", "units", "consumer_invocations", ".2f"),
        ("consumer's DynamoDB calls", "units", "consumer_calls", ".2f"),
        ("$ per million", "units", "usd_per_million", ".3f"),
        ("$ per million duplicates", "duplicates", "usd_per_million", ".3f"),
    )
    rows: list[tuple[str, Mapping[str, float], str]] = [
        *((label, _figure(document.get(part, {}), figure), form) for label, part, figure, form in units),
        ("drained, events/s", document.get("drained_events_per_second", {}), ".0f"),
        ("  executions alone", document.get("drained_events_per_second_by_executions", {}), ".0f"),
        *(
            (f"{function}: processor, us", figures, ".0f")
            for function, figures in document.get("cpu_microseconds_per_message", {}).items()
        ),
    ]
    table = _table("Per event", ["", *CASES])
    for label, figures, form in rows:
        if figures:
            table.add_row(label, *(format(figures[name], form) if name in figures else "" for name in CASES))
    return table


def _targets(document: Document) -> Table:
    table = _table("To reach", ["figure", "measured", "bound", ""])
    for target in TARGETS:
        value = target.value(document)
        if value is not None:
            sign = ">=" if target.at_least else "<="
            verdict = "[green]met[/]" if target.is_met(document) else "[bold red]MISSED[/]"
            if not target.is_judged(document):
                verdict = "too few rounds"
            table.add_row(target.path, f"{value:.3f}", f"{sign} {target.bound:g}", verdict)
    return table


def _others(document: Document) -> Table:
    rows: list[tuple[str, str]] = [
        (
            f"start of {function}, walkthrough / ours{how.replace('_', ', ')}",
            " / ".join(f"{milliseconds:.0f} ms" for milliseconds in figures.values()),
        )
        for how in ("", "_bundled")
        for function, figures in document.get(f"start_cpu_milliseconds{how}", {}).items()
    ]
    rows += [
        (
            f"consumer with boto3 {name}",
            f"{each['bytes'] / BYTES_A_KILOBYTE:,.1f} KB, {each['start_ms']:.0f} ms to start",
        )
        for name, each in document.get("bundle", {}).items()
    ]
    if "executions_ratio" in document:
        rows.append(
            ("drained by executions alone, ours_100 by walkthrough", f"{document['executions_ratio']:.1f}")
        )
    rows += [
        (label, f"{each['seconds']:.1f} s, {each['peak_megabytes']:.0f} MB")
        for label, each in _commands(document)
    ]
    if "not_measured" in document.get("engine", {}):
        rows.append(("up and previews by the engine", f"NOT MEASURED: {document['engine']['not_measured']}"))
    if "growth" in document:
        growth = document["growth"]
        exponents = f"{document['growth_exponent']:.3f} / {growth['cost_exponent']:.3f}"
        rows += [
            ("events in the growth run", f"{growth['points'][-1]['events']:,}"),
            ("growth exponent of time / cost", exponents),
        ]
    rows.append(("load average", " ".join(f"{load:.1f}" for load in document["machine"]["load_average"])))
    table = _table("And", ["", ""])
    for row in rows:
        table.add_row(*row)
    return table


def _commands(document: Document) -> Iterable[tuple[str, Mapping[str, float]]]:
    if "deploy" in document:
        yield "deploy of the dev stack, no engine", document["deploy"]
    for name, figures in document.get("engine", {}).items():
        if name != "not_measured":
            yield f"engine: {name.replace('_', ' ')}, largest process", figures


def _figure(cases: Mapping[str, Mapping[str, Any]], figure: str) -> dict[str, float]:
    return {name: figures[figure] for name, figures in cases.items()}


def _table(title: str, headings: Iterable[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 else "right")
    return table
