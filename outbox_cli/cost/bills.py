"""Bills, line by line: of an allowance, and of a million events at a batch size. All sums are exact."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from outbox_cli.cost import reconciler_pace
from outbox_cli.cost.event_units import (
    INBOX_ITEM_BYTES,
    INDEX_KEYS_BYTES,
    ORDER_ITEM_BYTES,
    OUTBOX_ATTRIBUTES_BYTES,
    EventUnits,
    Traffic,
    index_write_units,
    units_per_event,
)
from outbox_cli.cost.pricing import (
    ALARMS,
    DASHBOARDS,
    DYNAMODB_INDEX_WRITES,
    DYNAMODB_READS,
    DYNAMODB_STORAGE,
    DYNAMODB_WRITES,
    LAMBDA_BATCH_COMPUTE,
    LAMBDA_COMPUTE,
    LAMBDA_RECONCILER_COMPUTE,
    LAMBDA_REQUESTS,
    LOG_INGESTION,
    MILLION,
    OWN_METRICS,
    SQS_EMPTY_POLLS,
    SQS_REQUESTS,
    Rate,
)
from outbox_cli.cost.run_times import FUNCTION_MEMORY_MEGABYTES
from outbox_cli.cost.service_limits import INITIAL_QUEUE_POLLERS, STORAGE_OVERHEAD_BYTES_PER_ITEM

MEGABYTES_PER_GIGABYTE = 1024
GIGABYTE_BYTES = 2**30
MONTH_SECONDS = 30 * 24 * 60 * 60

# The stack, as the walkthrough sets it up, and what the setting `monitoring` adds, as in production.
QUEUE_WAIT_SECONDS = 20
ALARM_COUNT = 17
DASHBOARD_COUNT = 1
# Those that the reconciler writes at every run; the relay writes its own only when it parks an event.
OWN_METRIC_COUNT = 3

# The batched rows relay up to this many stored events in a call, as the production stack does.
BATCHED_STREAM_BATCH = 100
# The walkthrough; SQS's own batch; one full transaction; one message more than fits into it.
QUEUE_BATCHES_SHOWN = (1, 10, 99, 100)


@dataclass(frozen=True)
class Line:
    """A quantity of something that is billed."""

    rate: Rate
    quantity: Fraction

    @property
    def dollars(self) -> Fraction:
        """What the line comes to."""
        return self.rate.cost(self.quantity)


@dataclass(frozen=True)
class Bill:
    """Lines, and their sum."""

    lines: tuple[Line, ...]

    @property
    def dollars(self) -> Fraction:
        """The sum of the lines."""
        return sum((line.dollars for line in self.lines), Fraction(0))


@dataclass(frozen=True, kw_only=True)
class Allowance:
    """What may be consumed at most; the defaults are the walkthrough's generous day.

    `seconds` is billed for every invocation. Its "tiny stored data" is taken as 1 MB kept for a month.
    """

    invocations: Decimal = Decimal(10_000)
    memory_megabytes: Decimal = Decimal(FUNCTION_MEMORY_MEGABYTES)
    seconds: Decimal = Decimal(10)
    sqs_requests: Decimal = Decimal(100_000)
    write_units: Decimal = Decimal(100_000)
    read_units: Decimal = Decimal(50_000)
    log_gigabytes: Decimal = Decimal("0.1")
    stored_gigabyte_months: Decimal = Decimal("0.001")


def allowance_bill(allowance: Allowance) -> Bill:
    """What an allowance costs when all of it is consumed."""
    billed_seconds = Fraction(allowance.invocations) * Fraction(allowance.seconds)
    return bill(
        [
            (LAMBDA_REQUESTS, Fraction(allowance.invocations)),
            (LAMBDA_COMPUTE, compute(billed_seconds, Fraction(allowance.memory_megabytes))),
            (SQS_REQUESTS, Fraction(allowance.sqs_requests)),
            (DYNAMODB_WRITES, Fraction(allowance.write_units)),
            (DYNAMODB_READS, Fraction(allowance.read_units)),
            (LOG_INGESTION, Fraction(allowance.log_gigabytes)),
            (DYNAMODB_STORAGE, Fraction(allowance.stored_gigabyte_months)),
        ]
    )


def events_bill(units: EventUnits, events: Fraction) -> Bill:
    """What a number of events costs in requests and in runs; logs, stored data and a batch's work come on top."""
    seconds = events * units.lambda_milliseconds / 1000
    return bill(
        [
            (DYNAMODB_WRITES, events * units.write_units),
            (SQS_REQUESTS, events * units.sqs_requests),
            (LAMBDA_REQUESTS, events * units.invocations),
            (LAMBDA_COMPUTE, compute(seconds, Fraction(FUNCTION_MEMORY_MEGABYTES))),
        ]
    )


@dataclass(frozen=True)
class MillionEvents:
    """A million events whose queue batches arrive full."""

    queue_batch: int
    stream_batch: int
    units: EventUnits
    bill: Bill


def million_events(queue_batch: int) -> MillionEvents:
    """The cost of a million events; batch 1 is the walkthrough, where both mappings deliver one by one."""
    stream_batch = 1 if queue_batch == 1 else BATCHED_STREAM_BATCH
    units = units_per_event(Traffic(stream_batch=stream_batch, queue_batch=queue_batch))
    return MillionEvents(queue_batch, stream_batch, units, events_bill(units, Fraction(MILLION)))


def monthly_bill(
    events_per_second: Fraction,
    units: EventUnits,
    payload_bytes: int,
    *,
    has_index: bool,
    has_reconciler: bool,
) -> Bill:
    """Requests and runs, and what comes on top of them in the first 30 days."""
    events = events_per_second * MONTH_SECONDS
    receives = events_per_second * units.consumer_invocations
    idle_polls = max(Fraction(0), Fraction(INITIAL_QUEUE_POLLERS, QUEUE_WAIT_SECONDS) - receives)
    batch_seconds = events * units.processing_milliseconds / 1000
    index_units = events * index_write_units(payload_bytes) if has_index else Fraction(0)
    runs = MONTH_SECONDS * reconciler_pace.RUNS_PER_SECOND if has_reconciler else Fraction(0)
    run_seconds = reconciler_pace.run_seconds(events_per_second, payload_bytes, relay_is_off=False)
    looks = events * reconciler_pace.read_units_per_event(payload_bytes) if has_reconciler else Fraction(0)
    stored = stored_gigabytes(events_per_second, payload_bytes, has_index=has_index)
    on_top = bill(
        [
            (DYNAMODB_INDEX_WRITES, index_units),
            (LAMBDA_BATCH_COMPUTE, compute(batch_seconds, Fraction(FUNCTION_MEMORY_MEGABYTES))),
            (
                LAMBDA_RECONCILER_COMPUTE,
                compute(runs * run_seconds, Fraction(reconciler_pace.MEMORY_MEGABYTES)),
            ),
            (DYNAMODB_READS, looks + runs * reconciler_pace.IDLE_READ_UNITS),
            (SQS_EMPTY_POLLS, idle_polls * MONTH_SECONDS),
            (LOG_INGESTION, events * units.log_bytes / GIGABYTE_BYTES),
            # Nothing expires: it grows from nothing, so half of it is stored on average.
            (DYNAMODB_STORAGE, stored / 2),
            (ALARMS, Fraction(ALARM_COUNT)),
            (DASHBOARDS, Fraction(DASHBOARD_COUNT)),
            (OWN_METRICS, Fraction(OWN_METRIC_COUNT)),
        ]
    )
    return Bill(events_bill(units, events).lines + on_top.lines)


def stored_gigabytes(events_per_second: Fraction, payload_bytes: int, *, has_index: bool) -> Fraction:
    """What 30 days add: the order, the outbox item with its copy in an index, and the inbox marker of each event."""
    row = OUTBOX_ATTRIBUTES_BYTES + payload_bytes
    items = [ORDER_ITEM_BYTES, row, INBOX_ITEM_BYTES]
    if has_index:
        row += INDEX_KEYS_BYTES
        items = [ORDER_ITEM_BYTES, row, row, INBOX_ITEM_BYTES]
    stored_bytes = sum(item + STORAGE_OVERHEAD_BYTES_PER_ITEM for item in items)
    return events_per_second * MONTH_SECONDS * stored_bytes / GIGABYTE_BYTES


def compute(seconds: Fraction, memory_megabytes: Fraction) -> Fraction:
    """GB-seconds, as Lambda counts memory times duration."""
    return seconds * memory_megabytes / MEGABYTES_PER_GIGABYTE


def bill(quantities: Iterable[tuple[Rate, Fraction]]) -> Bill:
    """A bill of one line for each rate."""
    return Bill(tuple(Line(rate, quantity) for rate, quantity in quantities))
