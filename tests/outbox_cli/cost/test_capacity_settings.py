"""A plan's settings put into Pulumi.prod.yaml: accepted by the stack, and enough for the rate."""

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

from components import limits
from components.settings import Settings, parse_settings
from outbox_cli.cost import capacity, reconciler_pace, service_limits
from outbox_cli.cost.capacity import MAXIMUM_PAYLOAD_BYTES
from outbox_cli.cost.consumption import Traffic, units_per_event
from outbox_local.program import StackConfig, read_stack_config
from tests.outbox_cli.cost.asking import plan_for
from tools.repository import PROGRAM_DIRECTORY

RATES = ("0.01", "1", "7", "100", "1000", "3000", "5000", "6401", "20000", "100000", "400000")
PAYLOADS = (1, 168, 1_000, 60_000, MAXIMUM_PAYLOAD_BYTES)


@cache
def prod_config() -> StackConfig:
    """Read once: the files are the same for every plan."""
    return read_stack_config(PROGRAM_DIRECTORY, "prod", {"aws:region": "eu-central-1"})


def in_prod(planned: Mapping[str, Any] = {}) -> Settings:
    """The stack prod with these settings in place of its own, as Pulumi would hand them over."""
    config = prod_config()
    own = {
        key.partition(":")[2]: value
        for key, value in config.values.items()
        if key.startswith(f"{config.project}:")
    }
    for path, value in planned.items():
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

    settings = in_prod(answer["settings"])

    traffic = Traffic(**answer["arriving"], payload_bytes=payload_bytes, duplicates=Fraction(duplicates))
    units = units_per_event(traffic)
    relay, consumer = settings.relay, settings.consumer
    reserved = limits.RESERVED_CONCURRENCY.read(relay)
    assert reserved >= answer["stream_shards"] * limits.STREAM_PARALLELIZATION.read(relay)
    assert reserved >= Fraction(rate) * units.relay_busy_milliseconds / 1000
    concurrency = limits.QUEUE_MAXIMUM_CONCURRENCY.read(consumer)
    assert limits.RESERVED_CONCURRENCY.read(consumer) >= concurrency
    assert answer["impossible"] or concurrency >= Fraction(rate) * units.consumer_busy_milliseconds / 1000
    for batch in (limits.QUEUE_BATCH_SIZE.read(consumer), limits.STREAM_BATCH_SIZE.read(relay)):
        assert batch * payload_bytes < service_limits.MAXIMUM_INVOCATION_BYTES


def test_plan_assumes_of_the_stack_prod_what_it_does_not_set() -> None:
    prod = in_prod()

    assert limits.LOG_FORMAT.read(prod.consumer) == "JSON"
    assert limits.FUNCTION_TIMEOUT_SECONDS.read(prod.consumer) == capacity.FUNCTION_TIMEOUT_SECONDS
    assert limits.RECONCILE_INDEX.read(prod.source)
    assert prod.reconciler is not None
    assert limits.RECONCILER_INTERVAL_MINUTES.read(prod.reconciler) == reconciler_pace.INTERVAL_MINUTES
    assert limits.RECONCILER_MARGIN_SECONDS.read(prod.reconciler) == reconciler_pace.MARGIN_SECONDS
    assert limits.RECONCILER_HORIZON_SECONDS.read(prod.reconciler) == reconciler_pace.HORIZON_SECONDS
    assert limits.FUNCTION_TIMEOUT_SECONDS.read(prod.reconciler) == reconciler_pace.TIMEOUT_SECONDS
    assert limits.FUNCTION_MEMORY_MEGABYTES.read(prod.reconciler) == reconciler_pace.MEMORY_MEGABYTES


def test_run_with_a_full_batch_takes_longer_than_one_with_a_single_message() -> None:
    answer = plan_for("5000")

    units = units_per_event(Traffic(**answer["arriving"]))
    # 75 us of a core, of which 256 MB have 256/1769, for each of 98 messages; half a millisecond for 98 actions.
    assert units.consumer_busy_milliseconds / units.consumer_invocations == (
        48 + 20 + 98 * Fraction("0.075") * Fraction(1769, 256) + 98 * Fraction("0.5")
    )
    assert answer["settings"]["queueMaximumConcurrency"] == 11


def test_index_goes_before_its_partitions_would_throttle_the_table() -> None:
    kept = [plan_for(rate)["settings"]["reconcileIndex"] for rate in ("6400", "6401")]

    assert kept == [True, False]


def test_reconciler_goes_beyond_the_rate_at_which_its_runs_end_in_time() -> None:
    most = plan_for("1")["reconciled_events_per_second"]

    kept = [plan_for(str(rate))["settings"] for rate in (most, most + 1)]

    assert [settings["reconcileIndex"] for settings in kept] == [True, True]
    assert [settings["reconciler"] for settings in kept] == [True, False]
