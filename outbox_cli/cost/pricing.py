"""AWS prices: every rate this project computes with, in one table.

On-demand list prices in US dollars, before free tiers, discounts and taxes.
"""

from dataclasses import dataclass
from fractions import Fraction

RATES_REGION = "US East (N. Virginia)"  # by the name that AWS's price pages give it
RATES_CHECKED = "2026-09"

MILLION = 1_000_000


@dataclass(frozen=True)
class Rate:
    """A price: `dollars` for `per` of the `unit`, as the page at `source` states it."""

    name: str
    dollars: Fraction
    per: int
    unit: str
    source: str

    def cost(self, quantity: Fraction) -> Fraction:
        """Dollars for a quantity of the unit; exact, rounding is for whoever prints."""
        return self.dollars * quantity / self.per


_LAMBDA = "https://aws.amazon.com/lambda/pricing/"
_SQS = "https://aws.amazon.com/sqs/pricing/"
_DYNAMODB = "https://aws.amazon.com/dynamodb/pricing/on-demand/"
_CLOUDWATCH = "https://aws.amazon.com/cloudwatch/pricing/"

LAMBDA_REQUESTS = Rate("Lambda requests", Fraction("0.20"), MILLION, "requests", _LAMBDA)
LAMBDA_COMPUTE = Rate("Lambda compute (x86)", Fraction("16.67"), MILLION, "GB-seconds", _LAMBDA)
LAMBDA_BATCH_COMPUTE = Rate("Lambda compute, batches", Fraction("16.67"), MILLION, "GB-seconds", _LAMBDA)
LAMBDA_RECONCILER_COMPUTE = Rate(
    "Lambda compute, reconciler", Fraction("16.67"), MILLION, "GB-seconds", _LAMBDA
)
# One request unit is 64 KB of one call: https://aws.amazon.com/sqs/pricing/
SQS_REQUESTS = Rate("SQS standard requests", Fraction("0.40"), MILLION, "request units", _SQS)
SQS_EMPTY_POLLS = Rate("SQS empty long polls, at most", Fraction("0.40"), MILLION, "request units", _SQS)
DYNAMODB_WRITES = Rate("DynamoDB writes", Fraction("0.625"), MILLION, "write units", _DYNAMODB)
DYNAMODB_INDEX_WRITES = Rate("DynamoDB index writes", Fraction("0.625"), MILLION, "write units", _DYNAMODB)
DYNAMODB_READS = Rate("DynamoDB reads", Fraction("0.125"), MILLION, "read units", _DYNAMODB)
DYNAMODB_STORAGE = Rate("DynamoDB stored data", Fraction("0.25"), 1, "GB-months", _DYNAMODB)
LOG_INGESTION = Rate("CloudWatch logs", Fraction("0.50"), 1, "GB", _CLOUDWATCH)
# Assumed from the prices of a standard-resolution metric alarm, a dashboard and a custom metric, by the month.
# The first ten alarms, three dashboards and ten custom metrics of an account are free.
ALARMS = Rate("CloudWatch alarms", Fraction("0.10"), 1, "alarm-months", _CLOUDWATCH)
DASHBOARDS = Rate("CloudWatch dashboards", Fraction("3.00"), 1, "dashboard-months", _CLOUDWATCH)
OWN_METRICS = Rate("CloudWatch metrics of the outbox", Fraction("0.30"), 1, "metric-months", _CLOUDWATCH)

ALL_RATES = (
    LAMBDA_REQUESTS,
    LAMBDA_COMPUTE,
    LAMBDA_BATCH_COMPUTE,
    LAMBDA_RECONCILER_COMPUTE,
    SQS_REQUESTS,
    SQS_EMPTY_POLLS,
    DYNAMODB_WRITES,
    DYNAMODB_INDEX_WRITES,
    DYNAMODB_READS,
    DYNAMODB_STORAGE,
    LOG_INGESTION,
    ALARMS,
    DASHBOARDS,
    OWN_METRICS,
)
