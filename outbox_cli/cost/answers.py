"""Bills and capacity plans for people, as tables; programs get the same objects as JSON, without rounding."""

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outbox_cli.cost.pricing import MILLION, RATES_CHECKED, RATES_REGION, Bill

LARGEST_WRITTEN_OUT = 100 * MILLION
SETTLED = f"{RATES_REGION}, list prices of {RATES_CHECKED}, without free tier and tax"


def plain(value: Any) -> Any:
    """An answer as JSON can hold it: exact numbers become whole ones or floats."""
    if isinstance(value, Fraction | Decimal):
        exact = Fraction(value)
        return exact.numerator if exact.denominator == 1 else float(exact)
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def show_cost(console: Console, bill: Bill, millions: Sequence[Mapping[str, Any]]) -> None:
    """Prints the bill and the cost of a million events at each batch."""
    _show_bill(console, f"The allowance ({SETTLED})", bill, decimals=5)
    console.print(f"About {_dollars(bill['dollars'])}; every quantity has an option, see outbox cost --help.")
    columns = {
        "write units": "write_units",
        "SQS requests": "sqs_requests",
        "consumer runs": "consumer_invocations",
        "DB calls": "consumer_calls",
    }
    rows = [
        (
            "1, walkthrough" if each["queue_batch"] == 1 else str(each["queue_batch"]),
            *(f"{float(each[name]):.4g}" for name in columns.values()),
            _dollars(each["dollars"]),
        )
        for each in millions
    ]
    _show(console, "A million events, by the queue's batch", (*columns, "dollars"), rows)
    console.print(
        "Batches arrive full. Units, runs of the consumer and its calls to DynamoDB are for each event; "
        "dollars are for the million, without logs and stored data. docs/costs.md explains each number."
    )


def show_refusal(console: Console, plan: Mapping[str, Any]) -> None:
    """Prints what is beyond AWS's documentation, and what would have to change."""
    demand, promised = plan["demand"], plan["promised_events_per_second"]
    console.print(Text(f"{_demand(demand)} cannot be promised:", "bold"))
    for sentence in plan["impossible"]:
        console.print(Text(sentence, "red"))
    console.print(
        f"One stack can be promised up to {promised:,} a second. Divide the events by key among "
        f"{ceil(demand['events_per_second'] / promised):,} stacks, each in an account or a Region of its own, and "
        f"ask for the plan of one: outbox capacity --events-per-second {promised} "
        f"--payload-bytes {demand['payload_bytes']} --duplicates {demand['duplicates']}"
    )


def show_plan(console: Console, plan: Mapping[str, Any]) -> None:
    """Prints what to set, which quotas are touched, the latency and the bill."""
    console.print(Text(f"{_demand(plan['demand'])} can be served with these settings.", "bold"))
    settings = plan["settings"]
    rows = [(path, json.dumps(value)) for path, value in settings.items()]  # to be copied
    _show(console, "Set in Pulumi.<stack>.yaml", ("value",), rows)
    if not settings["reconcileIndex"]:
        console.print(
            "Beyond the reconciler's index, whose throttling would refuse commands: let a schedule of yours run "
            "outbox reconcile."
        )
    elif not settings["reconciler"]:
        console.print(
            f"The reconciler keeps up with {plan['reconciled_events_per_second']:,} events a second of this size: "
            "let a schedule of yours run outbox reconcile --since 1d --resend instead."
        )
    for table, units in plan["warm_write_units"].items():
        console.print(f"Warm the {table} table up to {units:,} write units a second before the first peak.")
    arriving, latency = plan["arriving"], plan["latency_milliseconds"]
    console.print(
        f"{plan['stream_shards']:,} stream shards; batches that arrive: {arriving['stream_batch']} at the relay, "
        f"{arriving['queue_batch']} at the consumer."
    )
    uses = sorted(plan["limits"], key=lambda use: -Fraction(use["needed"], use["default"]))
    limits = [(use["name"], f"{use['needed']:,}", f"{use['default']:,}", _verdict(use)) for use in uses]
    _show(console, "Limits", ("needed", "granted", ""), limits)
    console.print(f"The bottleneck is: {plan['bottleneck']['name']}.")
    stages = [(each["name"], f"{each['p50']:,}", f"{each['p99']:,}") for each in latency["stages"]]
    total = ("sum", f"{latency['p50']:,}", f"{latency['p99']:,}")
    _show(console, "From commit to counted", ("p50 ms", "p99 ms"), stages, total)
    console.print(f"From idle, Lambda reaches the full rate after about {plan['ramp_seconds']:,} s.")
    _show_bill(console, f"The first 30 days ({SETTLED})", plan["monthly_bill"], decimals=2)
    gigabytes = float(plan["stored_gigabytes_per_month"])
    console.print(f"Nothing expires: {gigabytes:,.2f} GB more are stored after every month.")


def _demand(demand: Mapping[str, Any]) -> str:
    return f"{demand['events_per_second']:,f} events a second of {demand['payload_bytes']:,} bytes"


def _verdict(use: Mapping[str, Any]) -> Text:
    return Text("ask AWS to raise", "yellow") if use["needed"] > use["default"] else Text("ok", "green")


def _show_bill(console: Console, title: str, bill: Bill, *, decimals: int) -> None:
    rows = [
        (
            line["name"],
            _quantity(line["quantity"]),
            line["unit"],
            f"${float(line['rate_dollars']):.3f}" + ("/M" if line["rate_per"] == MILLION else ""),
            _dollars(line["dollars"], decimals),
        )
        for line in bill["lines"]
    ]
    total = ("sum", "", "", "", _dollars(bill["dollars"], decimals))
    _show(console, title, ("quantity", "unit", "rate", "dollars"), rows, total)


def _quantity(quantity: Fraction) -> str:
    """Short enough for a line of 80 characters, whatever the demand."""
    if quantity >= LARGEST_WRITTEN_OUT:
        return f"{float(quantity / MILLION):,.0f} M"
    return f"{float(quantity):,.6g}" if quantity < 1 else f"{float(quantity):,.0f}"


def _show(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str | Text]],
    total: Sequence[str] = (),
) -> None:
    """Prints a table whose first column names the row and whose others are aligned as numbers."""
    heading = Text(f"\n{title}", "bold")
    table = Table(title=heading, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    if total:
        table.add_section()
        table.add_row(*total, style="bold")
    console.print(table)


def _dollars(value: Fraction, decimals: int = 2) -> str:
    return f"${float(value):,.{decimals}f}"
