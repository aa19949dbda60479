"""Pace of the reconciler with the settings of the stack prod: how long its runs take, up to which rate.

A run holds the events of a few minutes at each of its ages against their markers. Nearly all have one; where the
relay is off, those of the youngest age have none, and each of them is read once more and sent.
"""

from fractions import Fraction

from outbox.markers import KEYS_A_CALL
from outbox.retry import RESERVE_SECONDS
from outbox.rows import INDEX_SHARDS
from outbox.windows import MINUTE_SECONDS, windows
from outbox_cli.cost import consumption
from outbox_cli.cost.service_limits import MAXIMUM_PAGE_BYTES, READ_UNIT_BYTES

# Pulumi.prod.yaml, and the defaults where it says nothing.
INTERVAL_MINUTES = 5
MARGIN_SECONDS = 900
HORIZON_SECONDS = 14 * 24 * 60 * 60
TIMEOUT_SECONDS = 300
MEMORY_MEGABYTES = 1_769  # a whole processor, on which the figures below were measured

# Processor time of the SDK and of ours for an event and for each kilobyte of its body. Measured with canned answers in
# place of AWS, on a core of 2026: 45 and 5 microseconds to read, 47 and 9 more to send; here with a margin for the
# connection.
READING_MICROSECONDS, READING_MICROSECONDS_A_KILOBYTE = 70, 8
SENDING_MICROSECONDS, SENDING_MICROSECONDS_A_KILOBYTE = 70, 14
KILOBYTE = 1024

LOOKS = len(
    windows(
        2 * HORIZON_SECONDS,
        interval_minutes=INTERVAL_MINUTES,
        margin_seconds=MARGIN_SECONDS,
        horizon_seconds=HORIZON_SECONDS,
    )
)
"""At how many ages a run looks."""
WINDOW_SECONDS = (INTERVAL_MINUTES + 1) * MINUTE_SECONDS
"""How many seconds of events it sees at each: from the first minute to the last, both included."""
IDLE_READ_UNITS = Fraction(LOOKS * len(INDEX_SHARDS), 2)
"""Read units of a run that finds nothing: each query costs half a unit at the least."""
RUNS_PER_SECOND = Fraction(1, INTERVAL_MINUTES * MINUTE_SECONDS)


def run_seconds(events_per_second: Fraction, payload_bytes: int, *, relay_is_off: bool) -> Fraction:
    """How long a run takes; it reads the shards of its index side by side, and computes on one processor.

    Where the relay is off, the events of the youngest age are all lost, and those of the others were sent before.
    """
    seen = LOOKS * WINDOW_SECONDS * events_per_second
    lost = WINDOW_SECONDS * events_per_second if relay_is_off else Fraction(0)
    kilobytes = Fraction(payload_bytes, KILOBYTE)
    page = Fraction(1, max(1, min(KEYS_A_CALL, MAXIMUM_PAGE_BYTES // _row_bytes(payload_bytes))))
    query_and_markers = 2 * page
    reading = _seconds(READING_MICROSECONDS + READING_MICROSECONDS_A_KILOBYTE * kilobytes, query_and_markers)
    markers_again_and_send = page + Fraction(1, consumption.entries_per_send(payload_bytes))
    sending = _seconds(
        SENDING_MICROSECONDS + SENDING_MICROSECONDS_A_KILOBYTE * kilobytes, markers_again_and_send
    )
    return idle_seconds() + seen * reading + lost * sending


def idle_seconds() -> Fraction:
    """A run that finds nothing: it asks each shard at each age."""
    return Fraction(consumption.CALL_MILLISECONDS + LOOKS * consumption.REQUEST_MILLISECONDS, 1_000)


def most_events_per_second(payload_bytes: int) -> int:
    """The largest whole rate at which a run ends in time even while the relay is off."""
    granted = Fraction(TIMEOUT_SECONDS) - Fraction(RESERVE_SECONDS) - idle_seconds()
    of_one = run_seconds(Fraction(1), payload_bytes, relay_is_off=True) - idle_seconds()
    return int(granted / of_one)


def read_units_per_event(payload_bytes: int) -> Fraction:
    """Read units of all its checks of an event: half a unit for the marker, and the row's part of a page."""
    looks = LOOKS * WINDOW_SECONDS * RUNS_PER_SECOND
    return looks * (Fraction(1, 2) + Fraction(_row_bytes(payload_bytes), 2 * READ_UNIT_BYTES))


def _row_bytes(payload_bytes: int) -> int:
    return consumption.OUTBOX_ATTRIBUTES_BYTES + consumption.INDEX_KEYS_BYTES + payload_bytes


def _seconds(processor_microseconds: Fraction, requests: Fraction) -> Fraction:
    waiting = requests * consumption.REQUEST_MILLISECONDS / 1_000 / len(INDEX_SHARDS)
    return processor_microseconds / 1_000_000 + waiting
