"""A plan's settings put into Pulumi.prod.yaml: accepted by the stack, and enough for the rate."""

import json
from decimal import Decimal
from fractions import Fraction
from functools import cache

import pytest

from components import limits
from components.settings import Settings, parse_settings
from outbox_cli.cost import capacity, service_limits
from outbox_cli.cost.capacity import plan
from outbox_cli.cost.demand import MAXIMUM_PAYLOAD_BYTES, Demand
from outbox_cli.cost.plan import Plan
from outbox_local.program import StackConfig, read_stack_config
from tools.repository import PROGRAM_DIRECTORY

RATES = ("0.01", "1", "7", "100", "1000", "3000", "5000", "6401", "20000", "100000", "400000")
PAYLOADS = (1, 168, 1_000, 60_000, MAXIMUM_PAYLOAD_BYTES)


def plan_for(rate: str, payload_bytes: int = 168, duplicates: str = "0") -> Plan:
    return plan(
        Demand(events_per_second=Decimal(rate), payload_bytes=payload_bytes, duplicates=Decimal(duplicates))
    )


@cache
def prod_config() -> StackConfig:
    """Read once: the files are the same for every plan."""
    return read_stack_config(PROGRAM_DIRECTORY, "prod", {"aws:region": "eu-central-1"})


def in_prod(answer: Plan | None) -> Settings:
    """The stack prod with these settings in place of its own, as Pulumi would hand them over."""
    config = prod_config()
    own = {
        key.partition(":")[2]: value
        for key, value in config.values.items()
        if key.startswith(f"{config.project}:")
    }
    for path, value in (answer.settings.config_paths if answer else {}).items():
        group, dot, key = path.rpartition(".")
        if dot:
            own[group] = json.dumps(json.loads(own[group]) | {key: value})
        elif path != "reconciler" or not value:  # prod has one, with settings of its own
            own[path] = json.dumps(value)
    return parse_settings(config.project, own)


@pytest.mark.parametrize("duplicates", ["0", "0.01", "1"])
@pytest.mark.parametrize("payload_bytes", PAYLOADS)
@pytest.mark.parametrize("rate", RATES)
def test_plan_in_the_stack_prod_is_accepted_and_keeps_up(
    rate: str, payload_bytes: int, duplicates: str
) -> None:
    answer = plan_for(rate, payload_bytes, duplicates)

    settings = in_prod(answer)

    busy = {
        function: Fraction(rate) * milliseconds / 1000
        for function, milliseconds in (
            ("relay", answer.units.relay_busy_milliseconds),
            ("consumer", answer.units.consumer_busy_milliseconds),
        )
    }
    relay, consumer = settings.relay, settings.consumer
    reserved = limits.RESERVED_CONCURRENCY.read(relay)
    assert reserved >= answer.stream_shards * limits.STREAM_PARALLELIZATION.read(relay)
    assert reserved >= busy["relay"]
    concurrency = limits.QUEUE_MAXIMUM_CONCURRENCY.read(consumer)
    assert limits.RESERVED_CONCURRENCY.read(consumer) >= concurrency
    assert answer.impossible or concurrency >= busy["consumer"]
    for batch in (limits.QUEUE_BATCH_SIZE.read(consumer), limits.STREAM_BATCH_SIZE.read(relay)):
        assert batch * payload_bytes < service_limits.MAXIMUM_INVOCATION_BYTES


def test_plan_assumes_of_the_stack_prod_what_it_does_not_set() -> None:
    prod = in_prod(None)

    assert limits.LOG_FORMAT.read(prod.consumer) == capacity.LOG_FORMAT
    assert limits.FUNCTION_TIMEOUT_SECONDS.read(prod.consumer) == capacity.FUNCTION_TIMEOUT_SECONDS
    assert limits.RECONCILE_INDEX.read(prod.source)
    assert prod.reconciler is not None


def test_run_with_a_full_batch_takes_longer_than_one_with_a_single_message() -> None:
    answer = plan_for("5000")

    run = answer.units.consumer_busy_milliseconds / answer.units.consumer_invocations
    # 75 us of a core, of which 256 MB have 256/1769, for each of 98 messages; half a millisecond for 98 actions.
    assert run == 48 + 20 + 98 * Fraction("0.075") * Fraction(1769, 256) + 98 * Fraction("0.5")
    assert answer.settings.queue_maximum_concurrency == 11


def test_window_of_the_stream_waits_only_where_two_records_come_together_on_a_shard() -> None:
    windows = [plan_for(rate).settings.stream_batch_window_seconds for rate in ("7.99", "8")]

    assert windows == [0, 1]


def test_window_of_the_stream_fills_batches_and_delays_them() -> None:
    answer = plan_for("100")

    [gathering] = [stage for stage in answer.stages if stage.name == "gathering records"]
    assert answer.traffic.stream_batch == 25  # of a second's hundred, by four shards
    assert (gathering.p50_milliseconds, gathering.p99_milliseconds) == (500, 1_000)


def test_index_goes_before_its_partitions_would_throttle_the_table() -> None:
    kept, dropped = plan_for("6400"), plan_for("6401")

    assert (kept.settings.reconcile_index, dropped.settings.reconcile_index) == (True, False)


def test_reconciler_goes_beyond_the_rate_at_which_its_runs_end_in_time() -> None:
    most = plan_for("1").reconciled_events_per_second
    kept, dropped = plan_for(str(most)), plan_for(str(most + 1))

    assert (kept.settings.reconcile_index, kept.settings.reconciler) == (True, True)
    assert (dropped.settings.reconcile_index, dropped.settings.reconciler) == (True, False)
