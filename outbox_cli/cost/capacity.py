"""Capacity plan for a rate of events: settings, quotas, the bottleneck, the latency and the monthly bill.

Computed from documented limits (`service_limits`) and from what one event consumes (`event_units`) for a
stack with the walkthrough's memory and timeout, whose orders and event ids spread over many keys. What a plan does
not set stays as in Pulumi.prod.yaml.
"""

from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil, floor

from outbox.rows import INDEX_SHARDS
from outbox_cli.cost import service_limits as limits
from outbox_cli.cost.bills import events_bill, monthly_bill, stored_gigabytes
from outbox_cli.cost.demand import Demand
from outbox_cli.cost.event_units import (
    MAXIMUM_EVENTS_PER_TRANSACTION,
    EventUnits,
    Traffic,
    index_write_units,
    source_write_units,
    units_per_event,
)
from outbox_cli.cost.plan import Plan, Settings, Stage, Use
from outbox_cli.cost.reconciler_pace import most_events_per_second as most_reconciled_per_second
from outbox_cli.cost.run_times import transactions_milliseconds

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
LOG_FORMAT = "JSON"  # as the stack prod has it; its lines are three times as long as text

# Assumed: what Lambda wraps around a body when it hands a record to a function.
RECORD_ENVELOPE_BYTES = 1_000

# Public measurements in eu-west-1, p50 and p99: a stored item until the relay, a sent message until the consumer.
STREAM_MILLISECONDS = (213, 552)
QUEUE_MILLISECONDS = (16, 105)


def plan(demand: Demand) -> Plan:
    """A plan for a demand; one that asks too much of AWS is computed all the same, and says so."""
    rate = Fraction(demand.events_per_second)
    deliveries = rate * (1 + Fraction(demand.duplicates))
    shards = _stream_shards(rate, demand.payload_bytes)
    stream_batch = _largest_batch(STREAM_BATCH_SIZE, demand.payload_bytes)
    stream_window = GATHERING_WINDOW_SECONDS if rate * GATHERING_WINDOW_SECONDS / shards >= A_BATCH else 0
    gathering_records = min(Fraction(stream_window), stream_batch * shards / rate)
    polled = rate / shards * max(gathering_records, Fraction(1, limits.STREAM_POLLS_PER_SECOND))
    base = Traffic(
        stream_batch=_clamp(polled, stream_batch),
        payload_bytes=demand.payload_bytes,
        duplicates=Fraction(demand.duplicates),
        log_format=LOG_FORMAT,
    )
    batch = _queue_batch(rate, base)
    gathered = deliveries * GATHERING_WINDOW_SECONDS / limits.INITIAL_QUEUE_POLLERS
    window = GATHERING_WINDOW_SECONDS if gathered >= A_BATCH and batch > 1 else 0
    batch = batch if window else min(batch, limits.MAXIMUM_BATCH_WITHOUT_WINDOW)
    traffic = replace(base, queue_batch=_clamp(gathered, batch) if window else 1)
    units = units_per_event(traffic)

    consuming = rate * units.consumer_busy_milliseconds / 1000
    wanted_consumers = _consumers(rate, units)
    consumers = min(wanted_consumers, limits.QUEUE_CONCURRENCY.default)
    lanes = ceil(rate * units.relay_busy_milliseconds / 1000 / shards / BUSY_SHARE)
    commands = ceil(
        rate
        * max(units.command_milliseconds / 1000, Fraction(1, limits.INVOCATIONS_PER_SECOND_PER_ENVIRONMENT))
    )
    transactions = rate * units.consumer_calls
    totals = _totals(rate, units, consumers)
    has_index = _has_index(rate, demand.payload_bytes)
    most_reconciled = most_reconciled_per_second(demand.payload_bytes)
    has_reconciler = has_index and rate <= most_reconciled
    gathering = min(
        Fraction(window), batch * max(consuming, Fraction(limits.INITIAL_QUEUE_POLLERS)) / deliveries
    )
    source, projection = ceil(rate * units.source_write_units), ceil(rate * units.projection_write_units)
    return Plan(
        demand=demand,
        settings=Settings(
            relay_reserved_concurrency=shards * lanes,
            consumer_reserved_concurrency=consumers,
            stream_batch_size=stream_batch,
            stream_batch_window_seconds=stream_window,
            stream_parallelization=lanes,
            queue_batch_size=batch,
            queue_batch_window_seconds=window,
            queue_maximum_concurrency=consumers,
            visibility_timeout_seconds=limits.VISIBILITY_PER_TIMEOUT * FUNCTION_TIMEOUT_SECONDS + window,
            aggregate_shards=totals,
            reconcile_index=has_index,
            reconciler=has_reconciler,
        ),
        stream_shards=shards,
        traffic=traffic,
        units=units,
        uses=(
            Use(limits.ACCOUNT_CONCURRENCY, commands + shards * lanes + wanted_consumers),
            Use(limits.QUEUE_CONCURRENCY, wanted_consumers),
            Use(limits.SOURCE_TABLE_WRITES, source),
            Use(limits.PROJECTION_TABLE_WRITES, projection),
            Use(
                limits.MESSAGES_IN_FLIGHT,
                ceil(deliveries * gathering + wanted_consumers * traffic.queue_batch),
            ),
            Use(limits.TRANSACTIONS_PER_TOTAL, ceil(transactions / totals)),
        ),
        warm_write_units={
            table: needed
            for table, needed in (("source", source), ("projection", projection))
            if needed > limits.NEW_TABLE_WRITE_UNITS_PER_SECOND
        },
        stages=_stages(units, gathering_records, gathering),
        ramp_seconds=_ramp_seconds(commands, consumers),
        bill=monthly_bill(
            rate, units, demand.payload_bytes, has_index=has_index, has_reconciler=has_reconciler
        ),
        reconciled_events_per_second=most_reconciled,
        stored_gigabytes_per_month=stored_gigabytes(rate, demand.payload_bytes, has_index=has_index),
    )


def most_events_per_second(demand: Demand) -> int:
    """The largest whole rate, below an impossible demand's, that a plan can be promised for."""
    possible, impossible = 0, ceil(demand.events_per_second)
    while impossible - possible > 1:
        middle = (possible + impossible) // 2
        if plan(replace(demand, events_per_second=Decimal(middle))).impossible:
            impossible = middle
        else:
            possible = middle
    return possible


def _stream_shards(rate: Fraction, payload_bytes: int) -> int:
    """A shard follows a partition of the table, and partitions follow its write rate."""
    write_units = max(
        rate * source_write_units(payload_bytes), Fraction(limits.NEW_TABLE_WRITE_UNITS_PER_SECOND)
    )
    return ceil(write_units / limits.PARTITION_WRITE_UNITS_PER_SECOND)


def _queue_batch(rate: Fraction, base: Traffic) -> int:
    """The cheapest batch one mapping can keep up with: a repeat makes its whole transaction run twice."""

    def burden(batch: int) -> tuple[int, Fraction]:
        # The relay's part is the same for each: left at its own smallest, a search for a rate reckons each once.
        units, dollars = _event_costs(replace(base, stream_batch=1, queue_batch=batch))
        too_many = _consumers(rate, units) - limits.QUEUE_CONCURRENCY.default
        return max(0, too_many), dollars

    largest = _largest_batch(MAXIMUM_EVENTS_PER_TRANSACTION, base.payload_bytes)
    return min(range(1, largest + 1), key=burden)


@cache
def _event_costs(traffic: Traffic) -> tuple[EventUnits, Fraction]:
    units = units_per_event(traffic)
    return units, events_bill(units, Fraction(1)).dollars


def _largest_batch(wanted: int, payload_bytes: int) -> int:
    """Lambda hands over fewer records where their bodies fill an invocation."""
    return min(wanted, limits.MAXIMUM_INVOCATION_BYTES // (payload_bytes + RECORD_ENVELOPE_BYTES))


def _clamp(available: Fraction, largest: int) -> int:
    return max(1, min(floor(available), largest))


def _consumers(rate: Fraction, units: EventUnits) -> int:
    busy = rate * units.consumer_busy_milliseconds / 1000
    return max(limits.MINIMUM_QUEUE_CONCURRENCY, ceil(busy / BUSY_SHARE))


def _totals(rate: Fraction, units: EventUnits, consumers: int) -> int:
    actions = units.projection_write_units / limits.WRITE_UNITS_PER_TRANSACTIONAL_KILOBYTE
    locked = rate * transactions_milliseconds(units.consumer_calls, actions) / 1000
    return 1 if locked <= BUSY_SHARE_OF_ONE_TOTAL else min(TOTALS_PER_EXECUTION * consumers, MOST_TOTALS)


def _has_index(rate: Fraction, payload_bytes: int) -> bool:
    """An index whose partitions are throttled throttles its table, so beyond their rate it has to go."""
    granted = len(INDEX_SHARDS) * limits.PARTITION_WRITE_UNITS_PER_SECOND
    return rate * index_write_units(payload_bytes) <= granted * BUSY_SHARE


def _stages(units: EventUnits, gathering_records: Fraction, gathering: Fraction) -> tuple[Stage, ...]:
    relay = round(units.relay_busy_milliseconds / units.relay_invocations)
    consumer = round(units.consumer_busy_milliseconds / units.consumer_invocations)
    stream_window, window = round(gathering_records * 1000), round(gathering * 1000)
    return (
        Stage("stream to relay", *STREAM_MILLISECONDS),
        Stage("gathering records", stream_window // 2, stream_window),
        Stage("relay", relay, relay),
        Stage("queue to consumer", *QUEUE_MILLISECONDS),
        Stage("gathering messages", window // 2, window),
        Stage("consumer", consumer, consumer),
    )


def _ramp_seconds(commands: int, consumers: int) -> int:
    """Lambda adds environments to a function, and executions to a queue mapping, at a limited speed."""
    command = Fraction(commands, limits.ENVIRONMENTS_ADDED_PER_SECOND)
    consumer = Fraction((consumers - limits.INITIAL_QUEUE_POLLERS) * 60, limits.CONSUMERS_ADDED_PER_MINUTE)
    return ceil(max(command, consumer, Fraction(0)))
