"""What a rate of events needs: settings, quotas, the bottleneck, the latency and the monthly bill.

Computed from documented limits (`service_limits`) and from what one event consumes (`event_units`) for a
stack with the walkthrough's memory and timeout, whose orders and event ids spread over many keys.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from ops import service_limits as limits
from ops.cost import Bill, events_bill, monthly_bill, stored_gigabytes
from ops.demand import Demand
from ops.event_units import (
    MAXIMUM_EVENTS_PER_TRANSACTION,
    REQUEST_MILLISECONDS,
    EventUnits,
    Traffic,
    source_write_units,
    units_per_event,
)
from ops.service_limits import Limit

# Choices of this plan. Executions are planned busy at most this share of the time, so that a backlog drains.
BUSY_SHARE = Fraction(4, 5)
STREAM_BATCH_SIZE = 100
GATHERING_WINDOW_SECONDS = 1
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
class Settings:
    """Values of the stack's configuration."""

    stream_batch_size: int
    stream_parallelization: int
    queue_batch_size: int
    queue_batch_window_seconds: int
    queue_maximum_concurrency: int
    visibility_timeout_seconds: int
    aggregate_shards: int


@dataclass(frozen=True)
class Use:
    """How much of a limit a demand needs."""

    limit: Limit
    needed: int

    @property
    def share(self) -> Fraction:
        """Of what is granted without asking."""
        return Fraction(self.needed, self.limit.default)

    @property
    def must_be_raised(self) -> bool:
        """Whether AWS has to be asked for more."""
        return self.needed > self.limit.default and not self.is_impossible

    @property
    def is_impossible(self) -> bool:
        """Whether more is needed than AWS documents that anybody can get."""
        return self.limit.maximum is not None and self.needed > self.limit.maximum


@dataclass(frozen=True)
class Stage:
    """A part of the way from the order's commit to its counted total."""

    name: str
    p50_milliseconds: int
    p99_milliseconds: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The answer; the bill is that of the first 30 days, `ramp_seconds` the way from idle to the full rate."""

    demand: Demand
    settings: Settings
    stream_shards: int
    traffic: Traffic
    units: EventUnits
    uses: tuple[Use, ...]
    warm_write_units: dict[str, int]
    stages: tuple[Stage, ...]
    ramp_seconds: int
    bill: Bill
    stored_gigabytes_per_month: Fraction

    @property
    def bottleneck(self) -> Use:
        """The limit that this rate uses most of."""
        return max(self.uses, key=lambda use: use.share)

    @property
    def impossible(self) -> tuple[Use, ...]:
        """The limits beyond which nothing is documented; empty when the plan can work."""
        return tuple(use for use in self.uses if use.is_impossible)


def plan(demand: Demand) -> Plan:
    """A plan for a demand; one that asks too much of AWS is computed all the same, and says so."""
    rate = Fraction(demand.events_per_second)
    deliveries = rate * (1 + Fraction(demand.duplicates))
    shards = _stream_shards(rate, demand.payload_bytes)
    polled = rate / (shards * limits.STREAM_POLLS_PER_SECOND)
    base = Traffic(
        stream_batch=_clamp(polled, _largest_batch(STREAM_BATCH_SIZE, demand.payload_bytes)),
        payload_bytes=demand.payload_bytes,
        duplicates=Fraction(demand.duplicates),
    )
    batch = _queue_batch(rate, base)
    gathered = deliveries * GATHERING_WINDOW_SECONDS / limits.INITIAL_QUEUE_POLLERS
    window = GATHERING_WINDOW_SECONDS if gathered >= 2 and batch > 1 else 0  # noqa: PLR2004 - two make a batch
    batch = batch if window else min(batch, limits.MAXIMUM_BATCH_WITHOUT_WINDOW)
    traffic = replace(base, queue_batch=_clamp(gathered, batch) if window else 1)
    units = units_per_event(traffic)

    consuming = rate * units.consumer_milliseconds / 1000
    wanted_consumers = _consumers(rate, units)
    consumers = min(wanted_consumers, limits.QUEUE_CONCURRENCY.default)
    lanes = ceil(rate * units.relay_milliseconds / 1000 / shards / BUSY_SHARE)
    commands = ceil(
        rate
        * max(units.command_milliseconds / 1000, Fraction(1, limits.INVOCATIONS_PER_SECOND_PER_ENVIRONMENT))
    )
    transactions = rate * units.consumer_calls
    totals = _totals(transactions, consumers)
    gathering = min(
        Fraction(window), batch * max(consuming, Fraction(limits.INITIAL_QUEUE_POLLERS)) / deliveries
    )
    source, projection = ceil(rate * units.source_write_units), ceil(rate * units.projection_write_units)
    return Plan(
        demand=demand,
        settings=Settings(
            stream_batch_size=_largest_batch(STREAM_BATCH_SIZE, demand.payload_bytes),
            stream_parallelization=lanes,
            queue_batch_size=batch,
            queue_batch_window_seconds=window,
            queue_maximum_concurrency=consumers,
            visibility_timeout_seconds=limits.VISIBILITY_PER_TIMEOUT * FUNCTION_TIMEOUT_SECONDS + window,
            aggregate_shards=totals,
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
        stages=_stages(units, gathering),
        ramp_seconds=_ramp_seconds(commands, consumers),
        bill=monthly_bill(rate, units, demand.payload_bytes),
        stored_gigabytes_per_month=stored_gigabytes(rate, demand.payload_bytes),
    )


def _stream_shards(rate: Fraction, payload_bytes: int) -> int:
    """A shard follows a partition of the table, and partitions follow its write rate."""
    write_units = max(
        rate * source_write_units(payload_bytes), Fraction(limits.NEW_TABLE_WRITE_UNITS_PER_SECOND)
    )
    return ceil(write_units / limits.PARTITION_WRITE_UNITS_PER_SECOND)


def _queue_batch(rate: Fraction, base: Traffic) -> int:
    """The cheapest batch one mapping can keep up with: a repeat makes its whole transaction run twice."""

    def burden(batch: int) -> tuple[int, Fraction]:
        units = units_per_event(replace(base, queue_batch=batch))
        too_many = _consumers(rate, units) - limits.QUEUE_CONCURRENCY.default
        return max(0, too_many), events_bill(units, Fraction(1)).dollars

    largest = _largest_batch(MAXIMUM_EVENTS_PER_TRANSACTION, base.payload_bytes)
    return min(range(1, largest + 1), key=burden)


def _largest_batch(wanted: int, payload_bytes: int) -> int:
    """Lambda hands over fewer records where their bodies fill an invocation."""
    return min(wanted, limits.MAXIMUM_INVOCATION_BYTES // (payload_bytes + RECORD_ENVELOPE_BYTES))


def _clamp(available: Fraction, largest: int) -> int:
    return max(1, min(floor(available), largest))


def _consumers(rate: Fraction, units: EventUnits) -> int:
    busy = rate * units.consumer_milliseconds / 1000
    return max(limits.MINIMUM_QUEUE_CONCURRENCY, ceil(busy / BUSY_SHARE))


def _totals(transactions_per_second: Fraction, consumers: int) -> int:
    locked = transactions_per_second * REQUEST_MILLISECONDS / 1000
    return 1 if locked <= BUSY_SHARE_OF_ONE_TOTAL else min(TOTALS_PER_EXECUTION * consumers, MOST_TOTALS)


def _stages(units: EventUnits, gathering: Fraction) -> tuple[Stage, ...]:
    relay = round(units.relay_milliseconds / units.relay_invocations)
    consumer = round(units.consumer_milliseconds / units.consumer_invocations)
    window = round(gathering * 1000)
    return (
        Stage("stream to relay", *STREAM_MILLISECONDS),
        Stage("relay", relay, relay),
        Stage("queue to consumer", *QUEUE_MILLISECONDS),
        Stage("gathering a batch", window // 2, window),
        Stage("consumer", consumer, consumer),
    )


def _ramp_seconds(commands: int, consumers: int) -> int:
    """Lambda adds environments to a function, and executions to a queue mapping, at a limited speed."""
    command = Fraction(commands, limits.ENVIRONMENTS_ADDED_PER_SECOND)
    consumer = Fraction((consumers - limits.INITIAL_QUEUE_POLLERS) * 60, limits.CONSUMERS_ADDED_PER_MINUTE)
    return ceil(max(command, consumer, Fraction(0)))
