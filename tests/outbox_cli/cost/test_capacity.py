"""What a rate needs, from one event a second to a million, and what cannot be had."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from components import limits as component_limits
from outbox_cli.cost import capacity, service_limits
from outbox_cli.cost.capacity import plan
from outbox_cli.cost.commands import add_to
from outbox_cli.cost.demand import MAXIMUM_PAYLOAD_BYTES, Demand, InvalidDemandError
from outbox_cli.cost.plan import Plan


def plan_for(rate: str, payload_bytes: int = 168, duplicates: str = "0") -> Plan:
    return plan(
        Demand(events_per_second=Decimal(rate), payload_bytes=payload_bytes, duplicates=Decimal(duplicates))
    )


def needed(answer: Plan) -> dict[str, int]:
    return {use.limit.name: use.needed for use in answer.uses}


def run(*arguments: str) -> Any:
    app = typer.Typer(rich_markup_mode=None)
    add_to(app)
    return CliRunner().invoke(app, ["capacity", *arguments])


def test_one_event_a_second_waits_for_no_window_and_needs_one_total() -> None:
    answer = plan_for("1")

    settings = answer.settings
    assert (settings.queue_batch_window_seconds, settings.queue_maximum_concurrency) == (0, 2)
    assert (settings.queue_batch_size, settings.aggregate_shards) == (10, 1)
    assert (answer.traffic.stream_batch, answer.traffic.queue_batch) == (1, 1)
    assert answer.units.write_units == 8
    assert not any(use.must_be_raised or use.is_impossible for use in answer.uses)


def test_thousand_events_a_second_fill_whole_transactions_within_the_first_table() -> None:
    answer = plan_for("1000")

    assert answer.settings.queue_batch_size == answer.traffic.queue_batch == 99
    assert answer.settings.visibility_timeout_seconds == 61
    assert answer.stream_shards == 4
    assert answer.warm_write_units == {}
    assert needed(answer)["Source table write units/s"] == 4_000


def test_more_than_a_new_table_takes_asks_for_warm_throughput() -> None:
    answer = plan_for("1001")

    assert answer.warm_write_units == {"source": 4_004}
    assert answer.stream_shards == 5


def test_quotas_at_the_default_are_enough_and_one_event_more_is_not() -> None:
    enough, too_many = plan_for("10000"), plan_for("10000.25")

    table = "Source table write units/s"
    assert table not in [use.limit.name for use in enough.uses if use.must_be_raised]
    assert table in [use.limit.name for use in too_many.uses if use.must_be_raised]


def test_bottleneck_is_the_limit_used_most() -> None:
    assert plan_for("5").bottleneck.limit is service_limits.TRANSACTIONS_PER_TOTAL
    assert plan_for("10000").bottleneck.limit is service_limits.ACCOUNT_CONCURRENCY
    assert plan_for("1000", payload_bytes=60_000).bottleneck.limit is service_limits.SOURCE_TABLE_WRITES


def test_million_events_a_second_says_which_documented_limit_is_passed() -> None:
    answer = plan_for("1000000")

    assert [use.limit for use in answer.impossible] == [
        service_limits.ACCOUNT_CONCURRENCY,
        service_limits.QUEUE_CONCURRENCY,
    ]
    # The command's share is set by ten invocations a second for each environment, not by its 68 ms.
    assert needed(answer)["Lambda concurrency, account"] == 100_000 + 4_000 + 2_119
    assert answer.settings.queue_maximum_concurrency == 1_000
    assert (
        answer.settings.aggregate_shards == capacity.MOST_TOTALS == component_limits.AGGREGATE_SHARDS.maximum
    )


def test_consumer_beyond_its_mapping_is_impossible_and_never_a_quota_to_raise() -> None:
    answer = plan_for("2000000")

    over = [use for use in answer.uses if use.limit is service_limits.QUEUE_CONCURRENCY]
    assert [(use.is_impossible, use.must_be_raised) for use in over] == [(True, False)]


def test_duplicates_make_smaller_batches_the_cheaper_ones() -> None:
    sizes = [plan_for("1000", duplicates=share).settings.queue_batch_size for share in ("0", "0.001", "0.01")]

    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_batch_grows_where_the_cheapest_needs_more_executions_than_a_mapping_has() -> None:
    cheapest, kept_up = plan_for("1000", duplicates="0.01"), plan_for("300000", duplicates="0.01")

    assert kept_up.settings.queue_batch_size > cheapest.settings.queue_batch_size
    assert needed(kept_up)["Lambda concurrency, queue mapping"] <= 1_000


def test_window_waits_only_where_two_messages_come_together_in_it() -> None:
    windows = [plan_for(rate).settings.queue_batch_window_seconds for rate in ("9.99", "10")]

    assert windows == [0, 1]


def test_ramp_is_as_long_as_lambda_takes_to_add_the_commands_environments() -> None:
    assert plan_for("10000").ramp_seconds == 10


def test_bill_of_a_month_is_that_of_its_events_and_what_comes_on_top() -> None:
    answer = plan_for("1000")

    dollars = {line.rate.name: line.dollars for line in answer.bill.lines}
    events_in_millions = 2_592
    assert dollars["DynamoDB writes"] == events_in_millions * Fraction(596, 99) * Fraction("0.625")
    assert dollars["Lambda requests"] == (
        events_in_millions * (1 + Fraction(1, 100) + Fraction(1, 99)) * Fraction("0.2")
    )
    assert dollars["SQS empty long polls, at most"] == 0
    assert dollars["DynamoDB index writes"] == events_in_millions * Fraction("0.625")
    # Half of what the month adds: three items and one's copy, with an overhead of 100 bytes each.
    stored_bytes = 205 + 2 * (146 + 41 + 168) + 148 + 400
    assert dollars["DynamoDB stored data"] == (
        Fraction(events_in_millions * 1_000_000 * stored_bytes, 2 * 2**30) * Fraction("0.25")
    )
    assert dollars["CloudWatch alarms"] == Fraction("1.7")
    assert answer.bill.dollars == sum(dollars.values())


def test_bill_of_an_idle_stack_is_that_of_its_empty_polls() -> None:
    answer = plan_for("0.000001")

    polls = next(line for line in answer.bill.lines if line.rate.name == "SQS empty long polls, at most")
    assert polls.quantity == (Fraction(5, 20) - Fraction("0.000001")) * 2_592_000


def test_latency_starts_from_the_public_anchors_and_adds_the_window() -> None:
    gathers, fast = plan_for("100"), plan_for("1")

    assert [(stage.name, stage.p50_milliseconds, stage.p99_milliseconds) for stage in fast.stages] == [
        ("stream to relay", 213, 552),
        ("gathering records", 0, 0),
        ("relay", 68, 68),
        ("queue to consumer", 16, 105),
        ("gathering messages", 0, 0),
        ("consumer", 68, 68),
    ]
    assert [
        (stage.p50_milliseconds, stage.p99_milliseconds) for stage in gathers.stages if "gath" in stage.name
    ] == [
        (500, 1000),
        (500, 1000),
    ]


def test_timeout_of_the_plan_is_the_stacks_own() -> None:
    assert component_limits.FUNCTION_TIMEOUT_SECONDS.default == capacity.FUNCTION_TIMEOUT_SECONDS


@pytest.mark.parametrize("rate", ["0", "-1", "1000000001", "Infinity"])
def test_rate_out_of_range_is_refused_in_a_sentence(rate: str) -> None:
    with pytest.raises(InvalidDemandError, match=r"events-per-second must be above 0 and at most .*, but is"):
        Demand(events_per_second=Decimal(rate))


@pytest.mark.parametrize("payload_bytes", [0, -1, MAXIMUM_PAYLOAD_BYTES + 1, 400 * 1024])
def test_payload_beyond_the_item_is_refused_in_a_sentence(payload_bytes: int) -> None:
    with pytest.raises(InvalidDemandError, match=r"payload-bytes must be .*409,600 bytes in DynamoDB"):
        Demand(events_per_second=Decimal(1), payload_bytes=payload_bytes)


@pytest.mark.parametrize("duplicates", ["-0.1", "1.01"])
def test_duplicates_out_of_range_are_refused_in_a_sentence(duplicates: str) -> None:
    with pytest.raises(InvalidDemandError, match=r"duplicates must be 0 to 1, but is"):
        Demand(events_per_second=Decimal(1), duplicates=Decimal(duplicates))


def test_capacity_in_json_is_one_object_with_the_stacks_keys() -> None:
    result = run("--events-per-second", "20000", "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer["possible"] is True
    assert answer["settings"]["queueBatchSize"] == 99
    assert {quota["name"]: (quota["default"], quota["needed"]) for quota in answer["quotas_to_raise"]} == {
        "Lambda concurrency, account": (1_000, 2_123),
        "Source table write units/s": (40_000, 80_000),
        "Projection table write units/s": (40_000, 40_405),
    }
    assert answer["latency_milliseconds"]["p50"] == sum(
        stage["p50"] for stage in answer["latency_milliseconds"]["stages"]
    )


def test_capacity_beyond_what_is_documented_says_what_would_have_to_change_and_ends_with_1() -> None:
    result = run("--events-per-second", "1000000")

    said = " ".join(result.stdout.split())
    assert result.exit_code == 1
    assert "1,000,000 events a second of 168 bytes cannot be promised" in said
    assert "106,119 needed, at most 99,999" in said
    assert "One stack can be promised up to 472,019 a second. Divide the events by key among 3 stacks" in said
    assert "queueBatchSize" not in said


def test_capacity_beyond_what_is_documented_gives_no_settings_in_json() -> None:
    result = run("--events-per-second", "1000000", "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 1
    assert (answer["possible"], answer["settings"], answer["promised_events_per_second"]) == (
        False,
        None,
        472_019,
    )


def test_promised_rate_is_the_last_that_is_possible() -> None:
    most = capacity.most_events_per_second(Demand(events_per_second=Decimal(1_000_000)))

    assert [bool(plan_for(str(rate)).impossible) for rate in (most, most + 1)] == [False, True]


@pytest.mark.parametrize("text", ["1_000", "\u0661\u0662"])  # the second is 12 in Arabic digits
def test_rate_in_another_script_or_with_underscores_is_refused(text: str) -> None:
    result = run("--events-per-second", text)

    assert result.exit_code == 2
    assert "is not a number such as 10" in result.stderr


@pytest.mark.parametrize("text", ["1_000", "\u0661\u0662", "1.5", ""])
def test_payload_of_no_whole_number_is_refused(text: str) -> None:
    result = run("--events-per-second", "1", f"--payload-bytes={text}")

    assert result.exit_code == 2
    assert "is not a whole number such as 2000" in result.stderr


def test_capacity_for_no_events_is_one_sentence_and_wrong_use() -> None:
    result = run("--events-per-second", "0")

    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1


def test_bill_of_a_month_has_the_looks_and_the_runs_of_the_reconciler() -> None:
    answer = plan_for("100")

    quantities = {line.rate.name: line.quantity for line in answer.bill.lines}
    # Eleven looks at an event, of which one in five sees it twice: half a unit for the marker, 355 bytes of row.
    looks = 259_200_000 * 11 * Fraction(6, 5) * (Fraction(1, 2) + Fraction(146 + 41 + 168, 8192))
    runs = 30 * 24 * 12
    assert quantities["DynamoDB reads"] == looks + runs * 11 * 8 * Fraction(1, 2)
    seconds = quantities["Lambda compute, reconciler"] / runs * Fraction(1024, 1769)
    assert seconds == pytest.approx(48, abs=1)
