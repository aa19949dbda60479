"""Capacity plan for a rate of events: settings, quotas, the bottleneck, the latency and the monthly bill.

Computed from documented limits (`service_limits`) and from what one event consumes (`consumption`) for a stack with
the walkthrough's memory and timeout, whose orders and event ids spread over many keys. What a plan does not set
stays as in Pulumi.prod.yaml.
"""

from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import Any

from outbox.rows import INDEX_SHARDS
from outbox_cli.cost import service_limits as limits
from outbox_cli.cost.bills import billed_units, monthly_bill, stored_gigabytes
from outbox_cli.cost.consumption import (
    COMMAND_MILLISECONDS,
    MAXIMUM_EVENTS_PER_TRANSACTION,
    OUTBOX_ATTRIBUTES_BYTES,
    WALKTHROUGH_PAYLOAD_BYTES,
    EventUnits,
    Traffic,
    index_write_units,
    source_write_units,
    units_per_event,
)
from outbox_cli.cost.pricing import bill
from outbox_cli.cost.reconciler_pace import most_events_per_second as most_reconciled_per_second
from outbox_cli.errors import WrongUseError

MAXIMUM_EVENTS_PER_SECOND = 1_000_000_000
MAXIMUM_PAYLOAD_BYTES = limits.MAXIMUM_ITEM_BYTES - OUTBOX_ATTRIBUTES_BYTES

# Choices of this plan. Executions are planned busy at most this share of the time, so that a backlog drains.
BUSY_SHARE = Fraction(4, 5)
STREAM_BATCH_SIZE = 100
GATHERING_WINDOW_SECONDS = 1
A_BATCH = 2  # where fewer come together in a window, it would only delay them
# One total serves while it is locked at most this share of the time; beyond, executions share a total with
# another with a probability of at most 1 / TOTALS_PER_EXECUTION.
BUSY_SHARE_OF_ONE_TOTAL = Fraction(1, 10)
TOTALS_PER_EXECUTION = 4
MOST_TOTALS = 1_000  # what the setting aggregateShards accepts
FUNCTION_TIMEOUT_SECONDS = 10

# Assumed: what Lambda wraps around a body when it hands a record to a function.
RECORD_ENVELOPE_BYTES = 1_000

# Public measurements in eu-west-1, p50 and p99: a stored item until the relay, a sent message until the consumer.
STREAM_MILLISECONDS = (213, 552)
QUEUE_MILLISECONDS = (16, 105)


@dataclass(frozen=True, kw_only=True)
class Demand:
    """The question: a steady rate, the size of an event's body, and repeated deliveries for each event.

    Raises:
        WrongUseError: A value is out of its range, so no plan can be made.
    """

    events_per_second: Decimal
    payload_bytes: int = WALKTHROUGH_PAYLOAD_BYTES
    duplicates: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        """Check the ranges."""
        if not 0 < self.events_per_second <= MAXIMUM_EVENTS_PER_SECOND:
            raise WrongUseError(
                f"events-per-second must be above 0 and at most {MAXIMUM_EVENTS_PER_SECOND:,}, "
                f"but is {self.events_per_second}. Give the rate at your busiest time."
            )
        if not 1 <= self.payload_bytes <= MAXIMUM_PAYLOAD_BYTES:
            raise WrongUseError(
                f"payload-bytes must be 1 to {MAXIMUM_PAYLOAD_BYTES:,}, but is {self.payload_bytes}: "
                f"an outbox item with its keys has at most {limits.MAXIMUM_ITEM_BYTES:,} bytes in DynamoDB. "
                "Send a reference to larger content."
            )
        if not 0 <= self.duplicates <= 1:
            raise WrongUseError(
                f"duplicates must be 0 to 1, but is {self.duplicates}. It is the repeated deliveries for each event: "
                "0.01 means that one event in a hundred is delivered twice."
            )


def plan(demand: Demand) -> dict[str, Any]:
    """The object that `--json` prints for a demand; one that asks too much of AWS is computed all the same.

    `settings` has the paths that `pulumi config set --path` takes; reserved concurrency covers all runs that its
    mapping starts at once. The bill is that of the first 30 days, `ramp_seconds` the way from idle to the full rate.
    """
    rate, body = Fraction(demand.events_per_second), demand.payload_bytes
    deliveries = rate * (1 + Fraction(demand.duplicates))
    # A shard follows a partition of the table, and partitions follow its write rate.
    table_units = max(rate * source_write_units(body), Fraction(limits.NEW_TABLE_WRITE_UNITS_PER_SECOND))
    shards = ceil(table_units / limits.PARTITION_WRITE_UNITS_PER_SECOND)
    stream_batch = _largest_batch(STREAM_BATCH_SIZE, body)
    stream_window = GATHERING_WINDOW_SECONDS if rate * GATHERING_WINDOW_SECONDS / shards >= A_BATCH else 0
    gathering_records = min(Fraction(stream_window), stream_batch * shards / rate)
    polled = rate / shards * max(gathering_records, Fraction(1, limits.STREAM_POLLS_PER_SECOND))
    base = Traffic(
        stream_batch=_clamp(polled, stream_batch), payload_bytes=body, duplicates=Fraction(demand.duplicates)
    )
    batch = _queue_batch(rate, base)
    gathered = deliveries * GATHERING_WINDOW_SECONDS / limits.INITIAL_QUEUE_POLLERS
    window = GATHERING_WINDOW_SECONDS if gathered >= A_BATCH and batch > 1 else 0
    batch = batch if window else min(batch, limits.MAXIMUM_BATCH_WITHOUT_WINDOW)
    traffic = replace(base, queue_batch=_clamp(gathered, batch) if window else 1)
    units = units_per_event(traffic)

    wanted_consumers = _consumers(rate, units)
    consumers = min(wanted_consumers, limits.MAXIMUM_QUEUE_CONCURRENCY)
    concurrent_batches = ceil(rate * units.relay_busy_milliseconds / 1000 / shards / BUSY_SHARE)
    command_seconds = Fraction(COMMAND_MILLISECONDS, 1000)
    commands = ceil(rate * max(command_seconds, Fraction(1, limits.INVOCATIONS_PER_SECOND_PER_ENVIRONMENT)))
    is_one_total = rate * units.locked_milliseconds / 1000 <= BUSY_SHARE_OF_ONE_TOTAL
    totals = 1 if is_one_total else min(TOTALS_PER_EXECUTION * consumers, MOST_TOTALS)
    # An index whose partitions are throttled throttles its table, so beyond their rate it has to go.
    index_granted = len(INDEX_SHARDS) * limits.PARTITION_WRITE_UNITS_PER_SECOND
    has_index = rate * index_write_units(body) <= index_granted * BUSY_SHARE
    most_reconciled = most_reconciled_per_second(body)
    has_reconciler = has_index and rate <= most_reconciled
    consuming = rate * units.consumer_busy_milliseconds / 1000
    receivers = max(consuming, Fraction(limits.INITIAL_QUEUE_POLLERS))
    gathering = min(Fraction(window), batch * receivers / deliveries)
    writes = {
        "source": ceil(rate * units.source_write_units),
        "projection": ceil(rate * units.projection_write_units),
    }
    needed = {
        "Lambda concurrency, account": commands + shards * concurrent_batches + wanted_consumers,
        "Lambda concurrency, queue mapping": wanted_consumers,
        "Source table write units/s": writes["source"],
        "Projection table write units/s": writes["projection"],
        "SQS messages in flight": ceil(deliveries * gathering + wanted_consumers * traffic.queue_batch),
        "Transactions/s on one total": ceil(rate * units.consumer_calls / totals),
    }
    uses: list[dict[str, Any]] = [
        {"name": name, "needed": needed[name], "default": default, "maximum": maximum, "source": source}
        for name, (default, maximum, source) in limits.QUOTAS.items()
    ]
    raised = [use for use in uses if use["needed"] > use["default"]]
    impossible = [use for use in raised if use["maximum"] is not None and use["needed"] > use["maximum"]]
    stages = _stages(units, gathering_records, gathering)
    return {
        "demand": asdict(demand),
        "possible": not impossible,
        "impossible": [
            "{name}: {needed:,} needed, at most {maximum:,} documented ({source}).".format(**use)
            for use in impossible
        ],
        "promised_events_per_second": None,
        "settings": {
            "relay.reservedConcurrency": shards * concurrent_batches,
            "consumer.reservedConcurrency": consumers,
            "streamBatchSize": stream_batch,
            "streamBatchWindowSeconds": stream_window,
            "streamParallelization": concurrent_batches,
            "queueBatchSize": batch,
            "queueBatchWindowSeconds": window,
            "queueMaximumConcurrency": consumers,
            "visibilityTimeoutSeconds": limits.VISIBILITY_PER_TIMEOUT * FUNCTION_TIMEOUT_SECONDS + window,
            "aggregateShards": totals,
            "reconcileIndex": has_index,
            "reconciler": has_reconciler,
        },
        "stream_shards": shards,
        "arriving": {"stream_batch": traffic.stream_batch, "queue_batch": traffic.queue_batch},
        "reconciled_events_per_second": most_reconciled,
        "warm_write_units": {
            table: needed
            for table, needed in writes.items()
            if needed > limits.NEW_TABLE_WRITE_UNITS_PER_SECOND
        },
        "limits": uses,
        "quotas_to_raise": [use for use in raised if use not in impossible],
        "bottleneck": max(uses, key=lambda use: Fraction(use["needed"], use["default"])),
        "latency_milliseconds": {
            "stages": stages,
            "p50": sum(stage["p50"] for stage in stages),
            "p99": sum(stage["p99"] for stage in stages),
        },
        "ramp_seconds": _ramp_seconds(commands, consumers),
        "monthly_bill": monthly_bill(rate, units, body, has_index=has_index, has_reconciler=has_reconciler),
        "stored_gigabytes_per_month": stored_gigabytes(rate, body, has_index=has_index),
    }


def promised(demand: Demand) -> dict[str, Any]:
    """The plan for a demand; beyond what AWS documents, with the largest rate that can be promised, and no settings."""
    answer = plan(demand)
    if answer["possible"]:
        return answer
    possible, impossible = 0, ceil(demand.events_per_second)
    while impossible - possible > 1:
        middle = (possible + impossible) // 2
        if plan(replace(demand, events_per_second=Decimal(middle)))["possible"]:
            possible = middle
        else:
            impossible = middle
    return answer | {"promised_events_per_second": possible, "settings": None}


def _queue_batch(rate: Fraction, base: Traffic) -> int:
    """The cheapest batch one mapping can keep up with: a repeat makes its whole transaction run twice."""

    def burden(batch: int) -> tuple[int, Fraction]:
        # The relay's part is the same for each: left at its own smallest, a search for a rate reckons each once.
        units, dollars = _event_costs(replace(base, stream_batch=1, queue_batch=batch))
        return max(0, _consumers(rate, units) - limits.MAXIMUM_QUEUE_CONCURRENCY), dollars

    largest = _largest_batch(MAXIMUM_EVENTS_PER_TRANSACTION, base.payload_bytes)
    return min(range(1, largest + 1), key=burden)


@cache
def _event_costs(traffic: Traffic) -> tuple[EventUnits, Fraction]:
    units = units_per_event(traffic)
    return units, bill(billed_units(units, Fraction(1)))["dollars"]


def _largest_batch(wanted: int, payload_bytes: int) -> int:
    """Lambda hands over fewer records where their bodies fill an invocation."""
    return min(wanted, limits.MAXIMUM_INVOCATION_BYTES // (payload_bytes + RECORD_ENVELOPE_BYTES))


def _clamp(available: Fraction, largest: int) -> int:
    return max(1, min(floor(available), largest))


def _consumers(rate: Fraction, units: EventUnits) -> int:
    busy = rate * units.consumer_busy_milliseconds / 1000
    return max(limits.MINIMUM_QUEUE_CONCURRENCY, ceil(busy / BUSY_SHARE))


def _stages(units: EventUnits, records_seconds: Fraction, messages_seconds: Fraction) -> list[dict[str, Any]]:
    """The way from the order's commit to its counted total: the names of its parts, p50 and p99."""
    relay = round(units.relay_busy_milliseconds / units.relay_invocations)
    consumer = round(units.consumer_busy_milliseconds / units.consumer_invocations)
    records, messages = round(records_seconds * 1000), round(messages_seconds * 1000)
    stages = {
        "stream to relay": STREAM_MILLISECONDS,
        "gathering records": (records // 2, records),
        "relay": (relay, relay),
        "queue to consumer": QUEUE_MILLISECONDS,
        "gathering messages": (messages // 2, messages),
        "consumer": (consumer, consumer),
    }
    return [{"name": name, "p50": p50, "p99": p99} for name, (p50, p99) in stages.items()]


def _ramp_seconds(commands: int, consumers: int) -> int:
    """Lambda adds environments to a function, and executions to a queue mapping, at a limited speed."""
    command = Fraction(commands, limits.ENVIRONMENTS_ADDED_PER_SECOND)
    consumer = Fraction((consumers - limits.INITIAL_QUEUE_POLLERS) * 60, limits.CONSUMERS_ADDED_PER_MINUTE)
    return ceil(max(command, consumer, Fraction(0)))
