"""What an event and its duplicate cost: exact, so asserted."""

from collections.abc import Callable

import pytest

from outbox_cli.cost.bills import million_events
from tools.benchmarks.pipeline import CASES
from tools.benchmarks.units import Measured

Measure = Callable[[str], Measured]


def test_units_of_walkthrough_are_what_its_design_says(measured: Measure) -> None:
    event = measured("walkthrough").event

    assert (event.wru, event.sqs_requests, event.consumer_calls) == (8, 3, 1)
    assert event.usd_per_million == pytest.approx(7.65, abs=0.005)


def test_units_of_batch_100_reach_their_bounds(measured: Measure) -> None:
    event = measured("ours_100").event

    assert event.wru == 6.04  # <= 6.1: 99 markers and the total, then one marker and the total
    assert event.sqs_requests == 0.3  # <= 0.31
    assert event.consumer_calls == 0.02
    assert event.usd_per_million <= 4.5


def test_units_of_batch_10_are_those_of_one_transaction(measured: Measure) -> None:
    event = measured("ours_10").event

    assert (event.wru, event.sqs_requests, event.consumer_calls) == (6.2, 0.3, 0.1)


def test_units_of_batch_1_are_not_worse_than_the_walkthroughs(measured: Measure) -> None:
    ours, walkthrough = measured("ours_1").event, measured("walkthrough").event

    assert (ours.wru, ours.rru, ours.sqs_requests, ours.consumer_calls) == (8, 0, 3, 1)
    assert ours.wru <= walkthrough.wru
    assert ours.rru <= walkthrough.rru
    assert ours.sqs_requests <= walkthrough.sqs_requests
    assert ours.consumer_calls <= walkthrough.consumer_calls
    assert ours.usd_per_million <= walkthrough.usd_per_million


@pytest.mark.parametrize("case", ["walkthrough", "ours_1", "ours_10", "ours_100"])
def test_units_counted_are_those_that_outbox_cost_computes(measured: Measure, case: str) -> None:
    computed = million_events(CASES[case].batch_size)

    event = measured(case).event

    assert event.wru == float(computed["write_units"])
    assert event.sqs_requests == float(computed["sqs_requests"])
    assert event.consumer_invocations == float(computed["consumer_invocations"])
    assert event.consumer_calls == float(computed["consumer_calls"])
    assert event.usd_per_million == float(computed["dollars"])


def test_units_of_powertools_are_three_writes_of_its_own_an_event(measured: Measure) -> None:
    event = measured("powertools_10").event

    assert (event.wru, event.sqs_requests, event.consumer_calls) == (7, 0.3, 3)


def test_duplicate_at_powertools_costs_a_refused_write_and_no_update(measured: Measure) -> None:
    duplicate = measured("powertools_10").duplicate

    assert (duplicate.wru, duplicate.rru, duplicate.sqs_requests, duplicate.consumer_calls) == (1, 0, 0.2, 1)


def test_duplicate_of_batch_100_costs_at_most_half_of_the_walkthroughs(measured: Measure) -> None:
    ours, walkthrough = measured("ours_100").duplicate, measured("walkthrough").duplicate

    assert (walkthrough.wru, walkthrough.rru, walkthrough.sqs_requests) == (4, 1, 2)
    assert (ours.wru, ours.rru, ours.sqs_requests) == (2.04, 0, 0.2)
    assert ours.usd_per_million <= 0.5 * walkthrough.usd_per_million


def test_duplicate_of_batch_1_is_not_worse_than_the_walkthroughs(measured: Measure) -> None:
    ours, walkthrough = measured("ours_1").duplicate, measured("walkthrough").duplicate

    assert (ours.wru, ours.rru, ours.sqs_requests, ours.consumer_calls) == (4, 0, 2, 1)
    assert ours.wru <= walkthrough.wru
    assert ours.rru < walkthrough.rru
    assert ours.consumer_calls < walkthrough.consumer_calls
