"""Bills of a million events at a batch size, and of a month at a rate."""

from fractions import Fraction
from typing import Any

from outbox_cli.cost import consumption, reconciler_pace
from outbox_cli.cost.consumption import EventUnits, Traffic
from outbox_cli.cost.pricing import MILLION, Bill, bill
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
MILLION_SHOWS = (
    "write_units",
    "sqs_requests",
    "relay_invocations",
    "consumer_invocations",
    "consumer_calls",
    "lambda_milliseconds",
)


def million_events(queue_batch: int) -> dict[str, Any]:
    """Units of one event and dollars of a million, whose batches arrive full; batch 1 is the walkthrough's."""
    stream_batch = 1 if queue_batch == 1 else BATCHED_STREAM_BATCH
    units = consumption.units_per_event(Traffic(stream_batch=stream_batch, queue_batch=queue_batch))
    return {
        "queue_batch": queue_batch,
        "stream_batch": stream_batch,
        **{name: getattr(units, name) for name in MILLION_SHOWS},
        "dollars": bill(billed_units(units, Fraction(MILLION)))["dollars"],
    }


def billed_units(units: EventUnits, events: Fraction) -> dict[str, Fraction | int]:
    """Requests and runs of a number of events; logs, stored data and a batch's work come on top."""
    return {
        "DynamoDB writes": events * units.write_units,
        "SQS standard requests": events * units.sqs_requests,
        "Lambda requests": events * units.invocations,
        "Lambda compute (x86)": compute(events * units.lambda_milliseconds / 1000),
    }


def monthly_bill(
    rate: Fraction, units: EventUnits, payload_bytes: int, *, has_index: bool, has_reconciler: bool
) -> Bill:
    """Requests and runs, and what comes on top of them in the first 30 days at so many events a second."""
    events = rate * MONTH_SECONDS
    receives = rate * units.consumer_invocations
    idle_polls = max(Fraction(0), Fraction(INITIAL_QUEUE_POLLERS, QUEUE_WAIT_SECONDS) - receives)
    runs = reads = Fraction(0)
    if has_reconciler:
        runs = MONTH_SECONDS * reconciler_pace.RUNS_PER_SECOND
        reads = events * reconciler_pace.read_units_per_event(payload_bytes)
    run_seconds = runs * reconciler_pace.run_seconds(rate, payload_bytes, relay_is_off=False)
    return bill(
        {
            **billed_units(units, events),
            "DynamoDB index writes": events * consumption.index_write_units(payload_bytes) * has_index,
            "Lambda compute, batches": compute(events * units.batch_milliseconds / 1000),
            "Lambda compute, reconciler": compute(run_seconds, reconciler_pace.MEMORY_MEGABYTES),
            "DynamoDB reads": reads + runs * reconciler_pace.IDLE_READ_UNITS,
            "SQS empty long polls, at most": idle_polls * MONTH_SECONDS,
            "CloudWatch logs": events * units.log_bytes / GIGABYTE_BYTES,
            # Nothing expires: it grows from nothing, so half of it is stored on average.
            "DynamoDB stored data": stored_gigabytes(rate, payload_bytes, has_index=has_index) / 2,
            "CloudWatch alarms": ALARM_COUNT,
            "CloudWatch dashboards": DASHBOARD_COUNT,
            "CloudWatch metrics of the outbox": OWN_METRIC_COUNT,
        }
    )


def stored_gigabytes(rate: Fraction, payload_bytes: int, *, has_index: bool) -> Fraction:
    """Gigabytes that 30 days add: orders, outbox rows with their copy in an index, and inbox markers."""
    row = consumption.OUTBOX_ATTRIBUTES_BYTES + payload_bytes
    rows = [row + consumption.INDEX_KEYS_BYTES] * 2 if has_index else [row]
    items = [consumption.ORDER_ITEM_BYTES, *rows, consumption.INBOX_ITEM_BYTES]
    stored_bytes = sum(item + STORAGE_OVERHEAD_BYTES_PER_ITEM for item in items)
    return rate * MONTH_SECONDS * stored_bytes / GIGABYTE_BYTES


def compute(
    seconds: Fraction, memory_megabytes: Fraction | int = consumption.FUNCTION_MEMORY_MEGABYTES
) -> Fraction:
    """GB-seconds, as Lambda counts memory times duration."""
    return seconds * memory_megabytes / MEGABYTES_PER_GIGABYTE
