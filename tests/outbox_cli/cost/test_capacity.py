"""What a rate needs, from one event a second to a million, and what cannot be had."""

import json
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from components import limits as component_limits
from outbox_cli.cost.capacity import MAXIMUM_PAYLOAD_BYTES, Demand, promised
from outbox_cli.errors import WrongUseError
from tests.outbox_cli.cost.asking import plan_for, run

ACCOUNT, TABLE = "Lambda concurrency, account", "Source table write units/s"
QUEUE = "Lambda concurrency, queue mapping"


def named(rows: Any, figure: str = "needed") -> dict[str, Any]:
    return {row["name"]: row[figure] for row in rows}


def dollars_of(answer: dict[str, Any]) -> dict[str, Fraction]:
    return named(answer["monthly_bill"]["lines"], "dollars")


def test_one_event_a_second_waits_for_no_window_and_needs_one_total() -> None:
    answer = plan_for("1")

    settings = answer["settings"]
    assert (settings["queueBatchWindowSeconds"], settings["queueMaximumConcurrency"]) == (0, 2)
    assert (settings["queueBatchSize"], settings["aggregateShards"]) == (10, 1)
    assert answer["arriving"] == {"stream_batch": 1, "queue_batch": 1}
    assert named(answer["monthly_bill"]["lines"], "quantity")["DynamoDB writes"] == 8 * 2_592_000
    assert (answer["possible"], answer["quotas_to_raise"]) == (True, [])


def test_thousand_events_a_second_fill_whole_transactions_within_the_first_table() -> None:
    answer = plan_for("1000")

    assert answer["settings"]["queueBatchSize"] == answer["arriving"]["queue_batch"] == 99
    assert answer["settings"]["visibilityTimeoutSeconds"] == 61
    assert (answer["stream_shards"], answer["warm_write_units"]) == (4, {})
    assert named(answer["limits"])[TABLE] == 4_000


def test_more_than_a_new_table_takes_asks_for_warm_throughput() -> None:
    answer = plan_for("1001")

    assert (answer["stream_shards"], answer["warm_write_units"]) == (5, {"source": 4_004})


def test_quotas_at_the_default_are_enough_and_one_event_more_is_not() -> None:
    raised = [TABLE in named(plan_for(rate)["quotas_to_raise"]) for rate in ("10000", "10000.25")]

    assert raised == [False, True]


@pytest.mark.parametrize(
    ("rate", "payload_bytes", "bottleneck"),
    [("5", 168, "Transactions/s on one total"), ("10000", 168, ACCOUNT), ("1000", 60_000, TABLE)],
)
def test_bottleneck_is_the_limit_used_most(rate: str, payload_bytes: int, bottleneck: str) -> None:
    assert plan_for(rate, payload_bytes)["bottleneck"]["name"] == bottleneck


def test_million_events_a_second_says_which_documented_limit_is_passed() -> None:
    answer = plan_for("1000000")

    assert [sentence.partition(":")[0] for sentence in answer["impossible"]] == [ACCOUNT, QUEUE]
    # What no account gets is never a quota to raise.
    assert not {ACCOUNT, QUEUE} & set(named(answer["quotas_to_raise"]))
    # The command's share is set by ten invocations a second for each environment, not by its 68 ms.
    assert named(answer["limits"])[ACCOUNT] == 100_000 + 4_000 + 2_119
    assert answer["settings"]["queueMaximumConcurrency"] == 1_000
    assert answer["settings"]["aggregateShards"] == component_limits.AGGREGATE_SHARDS.maximum


def test_duplicates_make_smaller_batches_the_cheaper_ones() -> None:
    sizes = [
        plan_for("1000", duplicates=share)["settings"]["queueBatchSize"] for share in ("0", "0.001", "0.01")
    ]

    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_batch_grows_where_the_cheapest_needs_more_executions_than_a_mapping_has() -> None:
    cheapest, kept_up = (plan_for(rate, duplicates="0.01") for rate in ("1000", "300000"))

    assert kept_up["settings"]["queueBatchSize"] > cheapest["settings"]["queueBatchSize"]
    assert named(kept_up["limits"])[QUEUE] <= 1_000


@pytest.mark.parametrize(
    ("window", "rates"),
    [("queueBatchWindowSeconds", ("9.99", "10")), ("streamBatchWindowSeconds", ("7.99", "8"))],
)
def test_window_waits_only_where_two_come_together_in_it(window: str, rates: tuple[str, str]) -> None:
    windows = [plan_for(rate)["settings"][window] for rate in rates]

    assert windows == [0, 1]


def test_ramp_is_as_long_as_lambda_takes_to_add_the_commands_environments() -> None:
    assert plan_for("10000")["ramp_seconds"] == 10


def test_bill_of_a_month_is_that_of_its_events_and_what_comes_on_top() -> None:
    answer = plan_for("1000")

    dollars = dollars_of(answer)
    events_in_millions = 2_592
    assert dollars["DynamoDB writes"] == events_in_millions * Fraction(596, 99) * Fraction("0.625")
    runs = 1 + Fraction(1, 100) + Fraction(1, 99)
    assert dollars["Lambda requests"] == events_in_millions * runs * Fraction("0.2")
    assert dollars["SQS empty long polls, at most"] == 0
    assert dollars["DynamoDB index writes"] == events_in_millions * Fraction("0.625")
    # Half of what the month adds: three items and one's copy, with an overhead of 100 bytes each.
    stored_bytes = 205 + 2 * (146 + 41 + 168) + 148 + 400
    assert dollars["DynamoDB stored data"] == (
        Fraction(events_in_millions * 1_000_000 * stored_bytes, 2 * 2**30) * Fraction("0.25")
    )
    # A line in each of three functions, and what Lambda writes about each run.
    log_bytes = 260 + 261 + 259 + 420 * runs
    assert dollars["CloudWatch logs"] == events_in_millions * 1_000_000 * log_bytes / 2**30 * Fraction("0.5")
    assert dollars["CloudWatch alarms"] == Fraction("1.7")
    assert answer["monthly_bill"]["dollars"] == sum(dollars.values())


def test_bill_of_an_idle_stack_is_that_of_its_empty_polls() -> None:
    answer = plan_for("0.000001")

    polls = named(answer["monthly_bill"]["lines"], "quantity")["SQS empty long polls, at most"]
    assert polls == (Fraction(5, 20) - Fraction("0.000001")) * 2_592_000


def test_bill_of_a_month_has_the_reads_and_the_runs_of_the_reconciler() -> None:
    quantities = named(plan_for("100")["monthly_bill"]["lines"], "quantity")

    # Eleven reads of an event, of which one in five sees it twice: half a unit for the marker, 355 bytes of row.
    reads = 259_200_000 * 11 * Fraction(6, 5) * (Fraction(1, 2) + Fraction(146 + 41 + 168, 8192))
    runs = 30 * 24 * 12
    assert quantities["DynamoDB reads"] == reads + runs * 11 * 8 * Fraction(1, 2)
    seconds = quantities["Lambda compute, reconciler"] / runs * Fraction(1024, 1769)
    assert seconds == pytest.approx(48, abs=1)


def test_latency_starts_from_the_public_anchors_and_adds_the_windows() -> None:
    gathers, fast = (plan_for(rate)["latency_milliseconds"]["stages"] for rate in ("100", "1"))

    assert [tuple(stage.values()) for stage in fast] == [
        ("stream to relay", 213, 552),
        ("gathering records", 0, 0),
        ("relay", 68, 68),
        ("queue to consumer", 16, 105),
        ("gathering messages", 0, 0),
        ("consumer", 68, 68),
    ]
    assert [tuple(stage.values()) for stage in gathers if "gathering" in stage["name"]] == [
        ("gathering records", 500, 1_000),
        ("gathering messages", 500, 1_000),
    ]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        *(
            ({"events_per_second": Decimal(rate)}, "events-per-second must be above 0 and at most .*, but is")
            for rate in ("0", "-1", "1000000001", "Infinity")
        ),
        *(
            ({"payload_bytes": size}, "payload-bytes must be .*409,600 bytes in DynamoDB")
            for size in (0, -1, MAXIMUM_PAYLOAD_BYTES + 1, 400 * 1024)
        ),
        *(
            ({"duplicates": Decimal(share)}, "duplicates must be 0 to 1, but is")
            for share in ("-0.1", "1.01")
        ),
    ],
)
def test_demand_out_of_range_is_refused_in_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(WrongUseError, match=sentence):
        Demand(**{"events_per_second": Decimal(1)} | options)


def test_capacity_in_json_is_one_object_with_the_stacks_keys() -> None:
    result = run("capacity", "--events-per-second", "20000", "--json")

    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer["possible"] is True
    assert answer["settings"]["queueBatchSize"] == 99
    assert {quota["name"]: (quota["default"], quota["needed"]) for quota in answer["quotas_to_raise"]} == {
        ACCOUNT: (1_000, 2_123),
        TABLE: (40_000, 80_000),
        "Projection table write units/s": (40_000, 40_405),
    }
    latency = answer["latency_milliseconds"]
    assert latency["p50"] == sum(stage["p50"] for stage in latency["stages"])


def test_capacity_beyond_what_is_documented_says_what_would_have_to_change_and_ends_with_1() -> None:
    result = run("capacity", "--events-per-second", "1000000")

    said = " ".join(result.stdout.split())
    assert result.exit_code == 1
    assert "1,000,000 events a second of 168 bytes cannot be promised" in said
    assert "106,119 needed, at most 99,999" in said
    assert "One stack can be promised up to 472,019 a second. Divide the events by key among 3 stacks" in said
    assert "queueBatchSize" not in said


def test_capacity_beyond_what_is_documented_gives_the_last_possible_rate_and_no_settings() -> None:
    answer = promised(Demand(events_per_second=Decimal(1_000_000)))

    most = answer["promised_events_per_second"]
    assert (answer["possible"], answer["settings"], most) == (False, None, 472_019)
    assert [plan_for(str(rate))["possible"] for rate in (most, most + 1)] == [True, False]


@pytest.mark.parametrize(
    ("option", "text", "sentence"),
    [
        ("--events-per-second", "1_000", "is not a number such as 10"),
        ("--events-per-second", "\u0661\u0662", "is not a number such as 10"),  # 12 in Arabic digits
        *(
            ("--payload-bytes", text, "is not a whole number such as 2000")
            for text in ("1_000", "\u0661\u0662", "1.5", "")
        ),
    ],
)
def test_option_of_no_plain_number_is_refused(option: str, text: str, sentence: str) -> None:
    result = run("capacity", "--events-per-second", "1", f"{option}={text}")

    assert result.exit_code == 2
    assert sentence in result.stderr
