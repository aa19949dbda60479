"""The rates are the published ones, each with a source and a unit."""

from fractions import Fraction

import pytest

from outbox_cli.cost.pricing import MILLION, RATES, bill


@pytest.mark.parametrize(
    ("name", "dollars", "per"),
    [
        ("Lambda compute (x86)", "16.67", MILLION),
        ("Lambda requests", "0.2", MILLION),
        ("SQS standard requests", "0.4", MILLION),
        ("SQS empty long polls, at most", "0.4", MILLION),
        ("DynamoDB writes", "0.625", MILLION),
        ("DynamoDB reads", "0.125", MILLION),
        ("DynamoDB stored data", "0.25", 1),
        ("CloudWatch logs", "0.5", 1),
        ("CloudWatch alarms", "0.1", 1),
        ("CloudWatch dashboards", "3", 1),
        ("CloudWatch metrics of the outbox", "0.3", 1),
    ],
)
def test_rate_as_published_is_in_the_table_and_is_never_rounded(name: str, dollars: str, per: int) -> None:
    third = bill({name: Fraction(1, 3)})

    assert third["dollars"] == Fraction(dollars) / per / 3


def test_rates_each_have_a_source_on_aws_and_a_unit() -> None:
    assert all(rate.source.startswith("https://aws.amazon.com/") and rate.unit for rate in RATES.values())
