"""AWS prices: every rate this project computes with, in one table, and bills by them.

On-demand list prices in US dollars, before free tiers, discounts and taxes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

RATES_REGION = "US East (N. Virginia)"  # by the name that AWS's price pages give it
RATES_CHECKED = "2026-09"

MILLION = 1_000_000

Bill = dict[str, Any]
"""The object that `--json` prints: the region and month of the rates, `lines`, and their sum in `dollars`."""


@dataclass(frozen=True)
class Rate:
    """A price: `dollars` for `per` of the `unit`, as the page at `source` states it."""

    dollars: str
    per: int
    unit: str
    source: str


_LAMBDA = "https://aws.amazon.com/lambda/pricing/"
_SQS = "https://aws.amazon.com/sqs/pricing/"
_DYNAMODB = "https://aws.amazon.com/dynamodb/pricing/on-demand/"
_CLOUDWATCH = "https://aws.amazon.com/cloudwatch/pricing/"

RATES = {
    "Lambda requests": Rate("0.20", MILLION, "requests", _LAMBDA),
    "Lambda compute (x86)": Rate("16.67", MILLION, "GB-seconds", _LAMBDA),
    "Lambda compute, batches": Rate("16.67", MILLION, "GB-seconds", _LAMBDA),
    "Lambda compute, reconciler": Rate("16.67", MILLION, "GB-seconds", _LAMBDA),
    # One request unit is 64 KB of one call.
    "SQS standard requests": Rate("0.40", MILLION, "request units", _SQS),
    "SQS empty long polls, at most": Rate("0.40", MILLION, "request units", _SQS),
    "DynamoDB writes": Rate("0.625", MILLION, "write units", _DYNAMODB),
    "DynamoDB index writes": Rate("0.625", MILLION, "write units", _DYNAMODB),
    "DynamoDB reads": Rate("0.125", MILLION, "read units", _DYNAMODB),
    "DynamoDB stored data": Rate("0.25", 1, "GB-months", _DYNAMODB),
    "CloudWatch logs": Rate("0.50", 1, "GB", _CLOUDWATCH),
    # Assumed from the prices of a standard-resolution metric alarm, a dashboard and a custom metric, by the month.
    # The first ten alarms, three dashboards and ten custom metrics of an account are free.
    "CloudWatch alarms": Rate("0.10", 1, "alarm-months", _CLOUDWATCH),
    "CloudWatch dashboards": Rate("3.00", 1, "dashboard-months", _CLOUDWATCH),
    "CloudWatch metrics of the outbox": Rate("0.30", 1, "metric-months", _CLOUDWATCH),
}


def bill(quantities: Mapping[str, Fraction | int]) -> Bill:
    """A bill for quantities by the names of their rates; all sums are exact, rounding is for whoever prints."""
    lines: list[dict[str, Any]] = [
        {
            "name": name,
            "quantity": Fraction(quantity),
            "unit": RATES[name].unit,
            "rate_dollars": Fraction(RATES[name].dollars),
            "rate_per": RATES[name].per,
            "dollars": Fraction(RATES[name].dollars) * quantity / RATES[name].per,
        }
        for name, quantity in quantities.items()
    ]
    dollars = sum(line["dollars"] for line in lines)
    return {"rates_region": RATES_REGION, "rates_checked": RATES_CHECKED, "lines": lines, "dollars": dollars}
