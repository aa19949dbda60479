"""The verbs `cost` and `capacity`: options in; a table, or one JSON object, out."""

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Annotated, Any

import typer

from outbox_cli.cost import answers
from outbox_cli.cost.bills import compute, million_events
from outbox_cli.cost.capacity import Demand, promised
from outbox_cli.cost.consumption import FUNCTION_MEMORY_MEGABYTES, WALKTHROUGH_PAYLOAD_BYTES
from outbox_cli.cost.pricing import bill
from outbox_cli.exit_codes import CHECK_FAILED
from outbox_cli.output import AsJson, Output
from outbox_cli.shown import Screen

# The walkthrough; SQS's own batch; one full transaction; one message more than fits into it.
QUEUE_BATCHES_SHOWN = (1, 10, 99, 100)
# Beyond any bill; without it a number such as 1e999999999 would be computed with all its digits.
LARGEST_AMOUNT = Decimal(10) ** 15
SMALLEST_EXPONENT = -15
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def _number(text: str | Decimal) -> Decimal:
    """A decimal number, exactly as it was written."""
    try:
        # Decimal and int alone would take 1_000, and the digits of every script.
        number = Decimal(text if NUMBER.fullmatch(str(text)) else "NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    exponent = number.as_tuple().exponent
    if isinstance(exponent, str) or number.copy_abs() > LARGEST_AMOUNT or exponent < SMALLEST_EXPONENT:
        raise typer.BadParameter(f"{text!r} is not a number such as 10 or 0.25, of at most 15 decimals.")
    return number


def _bytes(text: str | int) -> int:
    """A whole number; its range is the demand's to judge."""
    if not re.fullmatch(r"[+-]?\d{1,15}", str(text), re.ASCII):
        raise typer.BadParameter(f"{text!r} is not a whole number such as 2000.")
    return int(text)


def _amount(text: str | Decimal) -> Decimal:
    """A number that is not negative."""
    number = _number(text)
    if number < 0:
        raise typer.BadParameter(f"must be 0 or more, but is {text}.")
    return number


def _option(what: str, parser: Any = _amount) -> Any:  # typer declares it so
    return typer.Option(parser=parser, metavar="NUMBER", help=what)


def cost(
    *,
    invocations: Annotated[Decimal, _option("Lambda invocations.")] = Decimal(10_000),
    memory_megabytes: Annotated[Decimal, _option("Memory of each.")] = Decimal(FUNCTION_MEMORY_MEGABYTES),
    seconds: Annotated[Decimal, _option("Billed duration of each.")] = Decimal(10),
    sqs_requests: Annotated[Decimal, _option("SQS request units.")] = Decimal(100_000),
    write_units: Annotated[Decimal, _option("DynamoDB write units.")] = Decimal(100_000),
    read_units: Annotated[Decimal, _option("DynamoDB read units.")] = Decimal(50_000),
    log_gigabytes: Annotated[Decimal, _option("Logs ingested.")] = Decimal("0.1"),
    # The walkthrough's "tiny stored data", taken as 1 MB kept for a month.
    stored_gigabyte_months: Annotated[Decimal, _option("Data in the tables.")] = Decimal("0.001"),
    as_json: AsJson = False,
) -> None:
    """Show what an allowance costs, by default the walkthrough's, and what a million events cost."""
    allowance = bill(
        {
            "Lambda requests": Fraction(invocations),
            "Lambda compute (x86)": compute(
                Fraction(invocations) * Fraction(seconds), Fraction(memory_megabytes)
            ),
            "SQS standard requests": Fraction(sqs_requests),
            "DynamoDB writes": Fraction(write_units),
            "DynamoDB reads": Fraction(read_units),
            "CloudWatch logs": Fraction(log_gigabytes),
            "DynamoDB stored data": Fraction(stored_gigabyte_months),
        }
    )
    millions = [million_events(batch) for batch in QUEUE_BATCHES_SHOWN]
    if as_json:
        Output(as_json).write(answers.plain(allowance | {"per_million_events": millions}))
    else:
        answers.show_cost(Screen(), allowance, millions)


def capacity(
    *,
    events_per_second: Annotated[Decimal, _option("The rate at the busiest time.", _number)],
    payload_bytes: Annotated[int, _option("Size of an event's body.", _bytes)] = WALKTHROUGH_PAYLOAD_BYTES,
    duplicates: Annotated[Decimal, _option("Repeated deliveries for each event, 0 to 1.", _number)] = Decimal(
        0
    ),
    as_json: AsJson = False,
) -> None:
    """Show what a rate of events needs: settings, quotas, the bottleneck, latency and the monthly bill.

    Ends with 1 where AWS documents no limits that high, and says what would have to change.
    """
    demand = Demand(events_per_second=events_per_second, payload_bytes=payload_bytes, duplicates=duplicates)
    answer = promised(demand)
    if as_json:
        Output(as_json).write(answers.plain(answer))
    else:
        show = answers.show_plan if answer["possible"] else answers.show_refusal
        show(Screen(), answer)
    if not answer["possible"]:
        raise typer.Exit(CHECK_FAILED)


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    app.command(epilog="Example: outbox cost --invocations 1000000 --seconds 0.1")(cost)
    app.command(epilog="Example: outbox capacity --events-per-second 250 --payload-bytes 2000")(capacity)
