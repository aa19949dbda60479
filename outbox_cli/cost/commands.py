"""The verbs `cost` and `capacity`: options in; a table, or one JSON object, out."""

import re
import sys
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import typer

from outbox_cli.cost import answers
from outbox_cli.cost.bills import QUEUE_BATCHES_SHOWN, Allowance, allowance_bill, million_events
from outbox_cli.cost.capacity import most_events_per_second, plan
from outbox_cli.cost.demand import Demand, InvalidDemandError
from outbox_cli.cost.event_units import WALKTHROUGH_PAYLOAD_BYTES
from outbox_cli.exit_codes import CHECK_FAILED, WRONG_USE
from outbox_cli.output import AsJson, Output
from outbox_cli.shown import Screen

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


def _amount_of(what: str) -> Any:  # typer declares it so
    return typer.Option(parser=_amount, metavar="NUMBER", help=what)


def cost(
    *,
    invocations: Annotated[Decimal, _amount_of("Lambda invocations.")] = Allowance.invocations,
    memory_megabytes: Annotated[Decimal, _amount_of("Memory of each.")] = Allowance.memory_megabytes,
    seconds: Annotated[Decimal, _amount_of("Billed duration of each.")] = Allowance.seconds,
    sqs_requests: Annotated[Decimal, _amount_of("SQS request units.")] = Allowance.sqs_requests,
    write_units: Annotated[Decimal, _amount_of("DynamoDB write units.")] = Allowance.write_units,
    read_units: Annotated[Decimal, _amount_of("DynamoDB read units.")] = Allowance.read_units,
    log_gigabytes: Annotated[Decimal, _amount_of("Logs ingested.")] = Allowance.log_gigabytes,
    stored_gigabyte_months: Annotated[
        Decimal, _amount_of("Data in the tables.")
    ] = Allowance.stored_gigabyte_months,
    as_json: AsJson = False,
) -> None:
    """Show what an allowance costs, by default the walkthrough's, and what a million events cost."""
    bill = allowance_bill(
        Allowance(
            invocations=invocations,
            memory_megabytes=memory_megabytes,
            seconds=seconds,
            sqs_requests=sqs_requests,
            write_units=write_units,
            read_units=read_units,
            log_gigabytes=log_gigabytes,
            stored_gigabyte_months=stored_gigabyte_months,
        )
    )
    millions = [million_events(batch) for batch in QUEUE_BATCHES_SHOWN]
    if as_json:
        Output(as_json).write(answers.cost_as_json(bill, millions))
    else:
        answers.show_cost(Screen(), bill, millions)


def capacity(
    *,
    events_per_second: Annotated[
        Decimal, typer.Option(parser=_number, metavar="NUMBER", help="The rate at the busiest time.")
    ],
    payload_bytes: Annotated[
        int, typer.Option(parser=_bytes, metavar="NUMBER", help="Size of an event's body.")
    ] = WALKTHROUGH_PAYLOAD_BYTES,
    duplicates: Annotated[
        Decimal,
        typer.Option(parser=_number, metavar="NUMBER", help="Repeated deliveries for each event, 0 to 1."),
    ] = Decimal(0),
    as_json: AsJson = False,
) -> None:
    """Show what a rate of events needs: settings, quotas, the bottleneck, latency and the monthly bill.

    Ends with 1 where AWS documents no limits that high, and says what would have to change.
    """
    try:
        demand = Demand(
            events_per_second=events_per_second, payload_bytes=payload_bytes, duplicates=duplicates
        )
    except InvalidDemandError as error:
        sys.stderr.write(f"{error}\n")
        raise typer.Exit(WRONG_USE) from error
    answer = plan(demand)
    promised = most_events_per_second(demand) if answer.impossible else None
    console = Screen()
    if as_json:
        Output(as_json).write(answers.plan_as_json(answer, promised))
    elif promised is None:
        answers.show_plan(console, answer)
    else:
        answers.show_refusal(console, answer, promised)
    if promised is not None:
        raise typer.Exit(CHECK_FAILED)


def add_to(app: typer.Typer) -> None:
    """Adds both verbs to a command line."""
    app.command(epilog="Example: outbox cost --invocations 1000000 --seconds 0.1")(cost)
    app.command(epilog="Example: outbox capacity --events-per-second 250 --payload-bytes 2000")(capacity)
