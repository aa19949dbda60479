"""Consumption of one event in the units AWS bills, as a function of the batch sizes.

Units and calls follow from the handlers' requests and are exact. Durations are assumptions: they depend on the
function's memory and on the day, so measure yours before you rely on dollars. A run that holds one event takes
CALL_MILLISECONDS, and REQUEST_MILLISECONDS for each of its requests. Every further event adds its own processor
time, and to the consumer's transaction an action for DynamoDB to work on.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from outbox_cli.cost.service_limits import (
    MAXIMUM_BATCH_ENTRIES,
    MAXIMUM_SQS_CALL_BYTES,
    MAXIMUM_TRANSACTION_ACTIONS,
    SQS_REQUEST_UNIT_BYTES,
    WRITE_UNIT_BYTES,
    WRITE_UNITS_PER_TRANSACTIONAL_KILOBYTE,
)

# Sizes of the walkthrough's items at its longest order id (40 characters): attribute names plus values.
ORDER_ITEM_BYTES = 205
OUTBOX_ATTRIBUTES_BYTES = 146  # everything in the outbox item but the body
INBOX_ITEM_BYTES = 148
INDEX_KEYS_BYTES = 41  # what an outbox item carries besides for the reconciler's index
WALKTHROUGH_PAYLOAD_BYTES = 168  # its event body, with the largest amount

MERGED_UPDATES_PER_TRANSACTION = 1
MAXIMUM_EVENTS_PER_TRANSACTION = MAXIMUM_TRANSACTION_ACTIONS - MERGED_UPDATES_PER_TRANSACTION

FUNCTION_MEMORY_MEGABYTES = 256
# Assumed for a warm function of that memory: the handler itself, and each request it makes to DynamoDB or SQS.
CALL_MILLISECONDS = 48
REQUEST_MILLISECONDS = 20
COMMAND_MILLISECONDS = CALL_MILLISECONDS + REQUEST_MILLISECONDS
# Assumed: what DynamoDB takes for an action of a transaction beyond the second. It documents no duration.
ACTION_MILLISECONDS = Fraction(1, 2)
ACTIONS_OF_A_REQUEST = 2
# Processor time of an event in a batch of 100 on a whole core: `cpu_microseconds_per_message.<function>.ours_100` of
# `make bench`, with a margin. It is a target there, so code that becomes slower than planned for is told.
RELAY_PROCESSOR_MICROSECONDS = 65
CONSUMER_PROCESSOR_MICROSECONDS = 75
# Lambda gives a function processor time by its memory. https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
MEGABYTES_OF_A_WHOLE_PROCESSOR = 1_769

# Bytes of log with the setting `logFormat: JSON`. A line of a function: everything around the word of the outcome.
LINE_BYTES = 252
# Assumed: Lambda's entries platform.start and platform.report.
# https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
RUN_LOG_BYTES = 420
OUTCOMES, REPEATED = ("ACCEPTED", "FORWARDED", "APPLIED"), "DUPLICATE_IGNORED"


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """How events travel: sizes of the batches that arrive, of the body, and repeats.

    `duplicates` is how many times more an event is delivered on average: 0.01 is one event in a hundred.
    """

    stream_batch: int = 1
    queue_batch: int = 1
    payload_bytes: int = WALKTHROUGH_PAYLOAD_BYTES
    duplicates: Fraction = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class EventUnits:
    """Consumption of one event on average; `consumer_calls` are the consumer's calls to DynamoDB.

    `lambda_milliseconds` is billed for runs that take as long as with a single event, and `batch_milliseconds` for
    what they take longer because they hold a batch. A function is busy with an event for both, its total is locked
    while transactions run.
    """

    source_write_units: Fraction
    projection_write_units: Fraction
    write_units: Fraction
    sqs_requests: Fraction
    relay_invocations: Fraction
    consumer_invocations: Fraction
    invocations: Fraction
    consumer_calls: Fraction
    lambda_milliseconds: Fraction
    batch_milliseconds: Fraction
    relay_busy_milliseconds: Fraction
    consumer_busy_milliseconds: Fraction
    locked_milliseconds: Fraction
    log_bytes: Fraction


def units_per_event(traffic: Traffic) -> EventUnits:
    """Units and calls of one event when its batches arrive full; the command is called once for each."""
    relayed, delivered, body = traffic.stream_batch, traffic.queue_batch, traffic.payload_bytes
    deliveries = 1 + traffic.duplicates
    repeats = traffic.duplicates / deliveries
    relay_runs, consumer_runs = Fraction(1, relayed), deliveries / delivered
    runs = 1 + relay_runs + consumer_runs

    entries = entries_per_send(body)
    # One transaction, and a second where some of its events, but not all, are repeats.
    transactions = _shares(delivered, MAXIMUM_EVENTS_PER_TRANSACTION)
    attempts = sum((2 - (1 - repeats) ** events - repeats**events for events in transactions), Fraction(0))
    actions = sum((_expected_actions(events, repeats) for events in transactions), Fraction(0))
    source = Fraction(source_write_units(body))
    projection = _item_write_units(INBOX_ITEM_BYTES) * actions * consumer_runs
    received_and_deleted = _request_units(delivered, MAXIMUM_BATCH_ENTRIES, body) + _request_units(delivered)

    command = Fraction(COMMAND_MILLISECONDS)
    relay = relay_runs * (CALL_MILLISECONDS + REQUEST_MILLISECONDS * ceil(Fraction(relayed, entries)))
    consumer = consumer_runs * (CALL_MILLISECONDS + REQUEST_MILLISECONDS * attempts)
    writing = ACTION_MILLISECONDS * (actions - ACTIONS_OF_A_REQUEST * attempts)
    relay_batch = relay_runs * _computing(RELAY_PROCESSOR_MICROSECONDS, relayed)
    consumer_batch = consumer_runs * (_computing(CONSUMER_PROCESSOR_MICROSECONDS, delivered) + writing)
    log_lines = sum(LINE_BYTES + len(word) for word in OUTCOMES)
    return EventUnits(
        source_write_units=source,
        projection_write_units=projection,
        write_units=source + projection,
        sqs_requests=_request_units(relayed, entries, body) * relay_runs
        + received_and_deleted * consumer_runs,
        relay_invocations=relay_runs,
        consumer_invocations=consumer_runs,
        invocations=runs,
        consumer_calls=attempts * consumer_runs,
        lambda_milliseconds=command + relay + consumer,
        batch_milliseconds=relay_batch + consumer_batch,
        relay_busy_milliseconds=relay + relay_batch,
        consumer_busy_milliseconds=consumer + consumer_batch,
        locked_milliseconds=consumer_runs * (REQUEST_MILLISECONDS * attempts + writing),
        log_bytes=RUN_LOG_BYTES * runs + log_lines + traffic.duplicates * (LINE_BYTES + len(REPEATED)),
    )


def source_write_units(payload_bytes: int) -> int:
    """Write units of the command's transaction: the order and the outbox item that carries the body."""
    return _item_write_units(ORDER_ITEM_BYTES) + _item_write_units(OUTBOX_ATTRIBUTES_BYTES + payload_bytes)


def index_write_units(payload_bytes: int) -> int:
    """Write units of the outbox item's copy in the reconciler's index, written outside of the transaction.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html#GSI.ThroughputConsiderations
    """
    return ceil(Fraction(OUTBOX_ATTRIBUTES_BYTES + INDEX_KEYS_BYTES + payload_bytes, WRITE_UNIT_BYTES))


def entries_per_send(payload_bytes: int) -> int:
    """How many bodies of a size go into one SendMessageBatch call."""
    return max(1, min(MAXIMUM_BATCH_ENTRIES, MAXIMUM_SQS_CALL_BYTES // max(1, payload_bytes)))


def _item_write_units(item_bytes: int) -> int:
    return WRITE_UNITS_PER_TRANSACTIONAL_KILOBYTE * ceil(Fraction(item_bytes, WRITE_UNIT_BYTES))


def _shares(events: int, most: int) -> list[int]:
    """How events are divided among transactions or calls: full ones first."""
    full, rest = divmod(events, most)
    return [most] * full + [rest] * (rest > 0)


def _expected_actions(events: int, repeats: Fraction) -> Fraction:
    """Billed actions of one transaction, when each of its events is a repeat with the probability `repeats`.

    A cancelled transaction costs what a committed one does; the second holds the fresh events and the total.
    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html
    """
    all_fresh = (1 - repeats) ** events
    items_first = events + MERGED_UPDATES_PER_TRANSACTION
    fresh_of_mixed = events * (1 - repeats) - events * all_fresh
    items_second = fresh_of_mixed + MERGED_UPDATES_PER_TRANSACTION * (1 - all_fresh - repeats**events)
    return items_first + items_second


def _request_units(messages: int, entries_per_call: int = MAXIMUM_BATCH_ENTRIES, body_bytes: int = 0) -> int:
    """Billed units of the calls that carry a number of messages; each call is at least one."""
    calls = _shares(messages, entries_per_call)
    return sum(max(1, ceil(Fraction(entries * body_bytes, SQS_REQUEST_UNIT_BYTES))) for entries in calls)


def _computing(processor_microseconds: int, events: int) -> Fraction:
    """Milliseconds that a run takes longer for the events beyond its first."""
    share_of_processor = Fraction(FUNCTION_MEMORY_MEGABYTES, MEGABYTES_OF_A_WHOLE_PROCESSOR)
    return Fraction(processor_microseconds, 1_000) / share_of_processor * (events - 1)
