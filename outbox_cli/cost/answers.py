"""Bills and capacity plans for people, as tables, and for programs, as plain data without rounding."""

import json
from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from outbox_cli.cost.bills import Bill, MillionEvents
from outbox_cli.cost.plan import Plan, Use
from outbox_cli.cost.pricing import MILLION, RATES_CHECKED, RATES_REGION

LARGEST_WRITTEN_OUT = 100 * MILLION
SETTLED = f"{RATES_REGION}, list prices of {RATES_CHECKED}, without free tier and tax"


def cost_as_json(bill: Bill, millions: Sequence[MillionEvents]) -> dict[str, Any]:
    """The answer of `cost`."""
    return {
        "rates_region": RATES_REGION,
        "rates_checked": RATES_CHECKED,
        **_bill_as_json(bill),
        "per_million_events": [
            {
                "queue_batch": each.queue_batch,
                "stream_batch": each.stream_batch,
                "write_units": _number(each.units.write_units),
                "sqs_requests": _number(each.units.sqs_requests),
                "relay_invocations": _number(each.units.relay_invocations),
                "consumer_invocations": _number(each.units.consumer_invocations),
                "consumer_calls": _number(each.units.consumer_calls),
                "lambda_milliseconds": _number(each.units.lambda_milliseconds),
                "dollars": _number(each.bill.dollars),
            }
            for each in millions
        ],
    }


def plan_as_json(plan: Plan, promised: int | None) -> dict[str, Any]:
    """The answer of `capacity`; `settings` has the paths of the stack's configuration, null where none can work.

    `promised` is the rate that one stack can be promised instead, None where the demand's own can.
    """
    return {
        "demand": {
            "events_per_second": _number(Fraction(plan.demand.events_per_second)),
            "payload_bytes": plan.demand.payload_bytes,
            "duplicates": _number(Fraction(plan.demand.duplicates)),
        },
        "possible": not plan.impossible,
        "impossible": [_impossible(use) for use in plan.impossible],
        "promised_events_per_second": promised,
        "settings": plan.settings.config_paths if promised is None else None,
        "stream_shards": plan.stream_shards,
        "arriving": {"stream_batch": plan.traffic.stream_batch, "queue_batch": plan.traffic.queue_batch},
        "reconciled_events_per_second": plan.reconciled_events_per_second,
        "warm_write_units": plan.warm_write_units,
        "limits": [_use_as_json(use) for use in plan.uses],
        "quotas_to_raise": [_use_as_json(use) for use in plan.uses if use.must_be_raised],
        "bottleneck": _use_as_json(plan.bottleneck),
        "latency_milliseconds": {
            "stages": [
                {"name": stage.name, "p50": stage.p50_milliseconds, "p99": stage.p99_milliseconds}
                for stage in plan.stages
            ],
            "p50": sum(stage.p50_milliseconds for stage in plan.stages),
            "p99": sum(stage.p99_milliseconds for stage in plan.stages),
        },
        "ramp_seconds": plan.ramp_seconds,
        "monthly_bill": {
            "rates_region": RATES_REGION,
            "rates_checked": RATES_CHECKED,
            **_bill_as_json(plan.bill),
        },
        "stored_gigabytes_per_month": _number(plan.stored_gigabytes_per_month),
    }


def show_cost(console: Console, bill: Bill, millions: Sequence[MillionEvents]) -> None:
    """Prints the bill and the cost of a million events at each batch."""
    console.print(_bill(f"The allowance ({SETTLED})", bill, decimals=5))
    console.print(f"About {_dollars(bill.dollars)}; every quantity has an option, see outbox cost --help.")
    columns = ("write units", "SQS requests", "consumer runs", "DB calls", "dollars")
    table = _table("A million events, by the queue's batch", *columns)
    for each in millions:
        consumed = each.units
        units = (
            consumed.write_units,
            consumed.sqs_requests,
            consumed.consumer_invocations,
            consumed.consumer_calls,
        )
        name = "1, walkthrough" if each.queue_batch == 1 else str(each.queue_batch)
        table.add_row(name, *(f"{float(unit):.4g}" for unit in units), _dollars(each.bill.dollars))
    console.print(table)
    console.print(
        "Batches arrive full. Units, runs of the consumer and its calls to DynamoDB are for each event; "
        "dollars are for the million, without logs and stored data. docs/costs.md explains each number."
    )


def show_refusal(console: Console, plan: Plan, promised: int) -> None:
    """Prints what is beyond AWS's documentation, and what would have to change."""
    rate = plan.demand.events_per_second
    console.print(Text(f"{_demand(plan)} cannot be promised:", "bold"))
    for use in plan.impossible:
        console.print(Text(_impossible(use), "red"))
    console.print(
        f"One stack can be promised up to {promised:,} a second. Divide the events by key among "
        f"{ceil(rate / promised):,} stacks, each in an account or a Region of its own, and ask for the plan of one: "
        f"outbox capacity --events-per-second {promised} --payload-bytes {plan.demand.payload_bytes} "
        f"--duplicates {plan.demand.duplicates}"
    )


def show_plan(console: Console, plan: Plan) -> None:
    """Prints what to set, which quotas are touched, the latency and the bill."""
    console.print(Text(f"{_demand(plan)} can be served with these settings.", "bold"))
    settings = _table("Set in Pulumi.<stack>.yaml", "value")
    for path, value in plan.settings.config_paths.items():
        settings.add_row(path, json.dumps(value))  # to be copied
    console.print(settings)
    if not plan.settings.reconcile_index:
        console.print(
            "Beyond the reconciler's index, whose throttling would refuse commands: let a schedule of yours run "
            "outbox reconcile."
        )
    elif not plan.settings.reconciler:
        console.print(
            f"The reconciler keeps up with {plan.reconciled_events_per_second:,} events a second of this size: let a "
            "schedule of yours run outbox reconcile --since 1d --resend instead."
        )
    for table, units in plan.warm_write_units.items():
        console.print(f"Warm the {table} table up to {units:,} write units a second before the first peak.")
    console.print(
        f"{plan.stream_shards:,} stream shards; batches that arrive: {plan.traffic.stream_batch} at the relay, "
        f"{plan.traffic.queue_batch} at the consumer."
    )

    limits = _table("Limits", "needed", "granted", "")
    for use in sorted(plan.uses, key=lambda use: -use.share):
        limits.add_row(use.limit.name, f"{use.needed:,}", f"{use.limit.default:,}", _verdict(use))
    console.print(limits)
    console.print(f"The bottleneck is: {plan.bottleneck.limit.name}.")

    latency = _table("From commit to counted", "p50 ms", "p99 ms")
    for stage in plan.stages:
        latency.add_row(stage.name, f"{stage.p50_milliseconds:,}", f"{stage.p99_milliseconds:,}")
    latency.add_section()
    latency.add_row(
        "sum",
        f"{sum(stage.p50_milliseconds for stage in plan.stages):,}",
        f"{sum(stage.p99_milliseconds for stage in plan.stages):,}",
    )
    console.print(latency)
    console.print(f"From idle, Lambda reaches the full rate after about {plan.ramp_seconds:,} s.")

    console.print(_bill(f"The first 30 days ({SETTLED})", plan.bill, decimals=2))
    gigabytes = float(plan.stored_gigabytes_per_month)
    console.print(f"Nothing expires: {gigabytes:,.2f} GB more are stored after every month.")


def _demand(plan: Plan) -> str:
    return f"{plan.demand.events_per_second:,f} events a second of {plan.demand.payload_bytes:,} bytes"


def _verdict(use: Use) -> Text:
    if use.is_impossible:
        return Text("not documented", "bold red")
    if use.must_be_raised:
        return Text("ask AWS to raise", "yellow")
    return Text("ok", "green")


def _impossible(use: Use) -> str:
    return (
        f"{use.limit.name}: {use.needed:,} needed, at most {use.limit.maximum:,} documented "
        f"({use.limit.source})."
    )


def _use_as_json(use: Use) -> dict[str, Any]:
    return {
        "name": use.limit.name,
        "needed": use.needed,
        "default": use.limit.default,
        "maximum": use.limit.maximum,
        "source": use.limit.source,
    }


def _bill_as_json(bill: Bill) -> dict[str, Any]:
    return {
        "lines": [
            {
                "name": line.rate.name,
                "quantity": _number(line.quantity),
                "unit": line.rate.unit,
                "rate_dollars": _number(line.rate.dollars),
                "rate_per": line.rate.per,
                "dollars": _number(line.dollars),
            }
            for line in bill.lines
        ],
        "dollars": _number(bill.dollars),
    }


def _bill(title: str, bill: Bill, *, decimals: int) -> Table:
    table = _table(title, "quantity", "unit", "rate", "dollars")
    for line in bill.lines:
        rate = f"${float(line.rate.dollars):.3f}" + ("/M" if line.rate.per == MILLION else "")
        table.add_row(
            line.rate.name,
            _quantity(line.quantity),
            line.rate.unit,
            rate,
            _dollars(line.dollars, decimals),
        )
    table.add_section()
    table.add_row("sum", "", "", "", _dollars(bill.dollars, decimals), style="bold")
    return table


def _quantity(quantity: Fraction) -> str:
    """Short enough for a line of 80 characters, whatever the demand."""
    if quantity >= LARGEST_WRITTEN_OUT:
        return f"{float(quantity / MILLION):,.0f} M"
    return f"{float(quantity):,.6g}" if quantity < 1 else f"{float(quantity):,.0f}"


def _table(title: str, *columns: str) -> Table:
    """A table whose first column names the row and whose others are aligned as numbers."""
    table = Table(
        title=Text(f"\n{title}", "bold"),
        title_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _dollars(value: Fraction, decimals: int = 2) -> str:
    return f"${float(value):,.{decimals}f}"


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else float(value)
