"""The results as tables for people."""

from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from benchmarks.pipeline import CASES
from benchmarks.results import TARGETS, Document


def show(document: Document, console: Console) -> None:
    """Prints every figure: by case, against its bound, and the rest."""
    console.print(_by_case(document), _targets(document), _others(document))


def _by_case(document: Document) -> Table:
    rows: list[tuple[str, dict[str, float], str]] = [
        ("write units", _units(document, "units", "wru"), ".2f"),
        ("SQS requests", _units(document, "units", "sqs_requests"), ".2f"),
        ("consumer's DynamoDB calls", _units(document, "units", "consumer_calls"), ".2f"),
        ("$ per million", _units(document, "units", "usd_per_million"), ".2f"),
        ("$ per million duplicates", _units(document, "duplicates", "usd_per_million"), ".2f"),
        ("drained, events/s", document["drained_events_per_second"], ".0f"),
        ("  executions alone", document["drained_events_per_second_by_executions"], ".0f"),
        *(
            (f"{function}: processor, us", figures, ".0f")
            for function, figures in document["cpu_microseconds_per_message"].items()
        ),
    ]
    table = _table("Per event", ["", *CASES])
    for label, figures, form in rows:
        table.add_row(label, *(format(figures[name], form) if name in figures else "" for name in CASES))
    return table


def _targets(document: Document) -> Table:
    table = _table("To reach", ["figure", "measured", "bound", ""])
    for target in TARGETS:
        sign = ">=" if target.at_least else "<="
        verdict = "[green]met[/]" if target.is_met(document) else "[bold red]MISSED[/]"
        table.add_row(target.path, f"{target.value(document):.3f}", f"{sign} {target.bound:g}", verdict)
    return table


def _others(document: Document) -> Table:
    growth, deploy = document["growth"], document["deploy"]
    rows: Iterable[tuple[str, object]] = [
        *(
            (
                f"start of {function}, walkthrough / ours",
                " / ".join(f"{each:.0f} ms" for each in figures.values()),
            )
            for function, figures in document["start_cpu_milliseconds"].items()
        ),
        ("drained by executions alone, ours_100 by walkthrough", f"{document['executions_ratio']:.1f}"),
        ("deploy of the dev stack", f"{deploy['seconds']:.1f} s, {deploy['peak_megabytes']:.0f} MB"),
        *((f"preview: {name}", _short(value)) for name, value in document["preview"].items()),
        ("events in the growth run", growth["points"][-1]["events"]),
        (
            "growth exponent of time / cost",
            f"{document['growth_exponent']:.3f} / {growth['cost_exponent']:.3f}",
        ),
        ("load average", " ".join(f"{load:.1f}" for load in document["machine"]["load_average"])),
    ]
    table = _table("And", ["", ""])
    for label, value in rows:
        table.add_row(label, str(value))
    return table


def _units(document: Document, part: str, figure: str) -> dict[str, float]:
    return {name: units[figure] for name, units in document[part].items()}


def _short(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _table(title: str, headings: Iterable[str]) -> Table:
    table = Table(title=title, title_justify="left")
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="left" if number == 0 else "right")
    return table
