"""The rates are the published ones, each with a source and a unit."""

from fractions import Fraction

import pytest

from outbox_cli.cost import pricing
from outbox_cli.cost.pricing import ALL_RATES, MILLION, Rate


@pytest.mark.parametrize(
    ("rate", "dollars", "per"),
    [
        (pricing.LAMBDA_COMPUTE, "16.67", MILLION),
        (pricing.LAMBDA_REQUESTS, "0.2", MILLION),
        (pricing.SQS_REQUESTS, "0.4", MILLION),
        (pricing.SQS_EMPTY_POLLS, "0.4", MILLION),
        (pricing.DYNAMODB_WRITES, "0.625", MILLION),
        (pricing.DYNAMODB_READS, "0.125", MILLION),
        (pricing.DYNAMODB_STORAGE, "0.25", 1),
        (pricing.LOG_INGESTION, "0.5", 1),
        (pricing.ALARMS, "0.1", 1),
        (pricing.DASHBOARDS, "3", 1),
        (pricing.OWN_METRICS, "0.3", 1),
    ],
)
def test_rate_as_published_is_in_the_table(rate: Rate, dollars: str, per: int) -> None:
    assert rate in ALL_RATES
    assert (rate.dollars, rate.per) == (Fraction(dollars), per)


def test_rates_each_have_a_source_on_aws_and_a_name_of_their_own() -> None:
    assert all(rate.source.startswith("https://aws.amazon.com/") and rate.unit for rate in ALL_RATES)
    assert len({rate.name for rate in ALL_RATES}) == len(ALL_RATES)


def test_cost_of_a_third_of_a_unit_is_not_rounded() -> None:
    rate = Rate("anything", Fraction("0.5"), 1, "units", "")

    cost = rate.cost(Fraction(1, 3))

    assert cost == Fraction(1, 6)
