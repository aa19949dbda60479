"""Consumption of one event in the units AWS bills, as a function of the batch sizes.

Units and calls follow from the handlers' requests and are exact. Durations are assumptions (`run_times`): they
depend on the function's memory and on the day, so measure yours before you rely on dollars.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from outbox_cli.cost.log_volumes import log_bytes_per_event
from outbox_cli.cost.run_times import (
    consumer_processing_milliseconds,
    relay_processing_milliseconds,
    requests_milliseconds,
)
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


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """How events travel: sizes of the batches that arrive, of the body, and repeats.

    `duplicates` is how many times more an event is delivered on average: 0.01 is one event in a hundred.
    """

    stream_batch: int = 1
    queue_batch: int = 1
    payload_bytes: int = WALKTHROUGH_PAYLOAD_BYTES
    duplicates: Fraction = Fraction(0)
    log_format: str = "Text"


@dataclass(frozen=True, kw_only=True)
class EventUnits:
    """Consumption of one event on average; `consumer_calls` are the consumer's calls to DynamoDB.

    The `..._milliseconds` are its share of runs that take as long as with a single event, and
    `..._processing_milliseconds` what they take longer because they hold a batch.
    """

    source_write_units: Fraction
    projection_write_units: Fraction
    sqs_requests: Fraction
    relay_invocations: Fraction
    consumer_invocations: Fraction
    consumer_calls: Fraction
    command_milliseconds: Fraction
    relay_milliseconds: Fraction
    consumer_milliseconds: Fraction
    relay_processing_milliseconds: Fraction
    consumer_processing_milliseconds: Fraction
    log_bytes: Fraction

    @property
    def write_units(self) -> Fraction:
        """Write units in both tables."""
        return self.source_write_units + self.projection_write_units

    @property
    def invocations(self) -> Fraction:
        """Invocations: the command is called once for each event."""
        return 1 + self.relay_invocations + self.consumer_invocations

    @property
    def lambda_milliseconds(self) -> Fraction:
        """Billed duration of the three functions, without what the batches add."""
        return self.command_milliseconds + self.relay_milliseconds + self.consumer_milliseconds

    @property
    def processing_milliseconds(self) -> Fraction:
        """What the batches add to it."""
        return self.relay_processing_milliseconds + self.consumer_processing_milliseconds

    @property
    def relay_busy_milliseconds(self) -> Fraction:
        """How long an event keeps the relay busy."""
        return self.relay_milliseconds + self.relay_processing_milliseconds

    @property
    def consumer_busy_milliseconds(self) -> Fraction:
        """How long an event keeps the consumer busy, with its repeats."""
        return self.consumer_milliseconds + self.consumer_processing_milliseconds


def units_per_event(traffic: Traffic) -> EventUnits:
    """What one event consumes when its batches arrive full."""
    relayed, delivered, body = traffic.stream_batch, traffic.queue_batch, traffic.payload_bytes
    deliveries = 1 + traffic.duplicates
    repeats = traffic.duplicates / deliveries
    sends = ceil(Fraction(relayed, entries_per_send(body)))
    chunks = _transactions(delivered)
    attempts = sum((_expected_attempts(events, repeats) for events in chunks), Fraction(0))
    actions = sum((_expected_actions(events, repeats) for events in chunks), Fraction(0))
    relay_invocations = Fraction(1, relayed)
    consumer_invocations = deliveries / delivered
    return EventUnits(
        source_write_units=Fraction(source_write_units(body)),
        projection_write_units=_item_write_units(INBOX_ITEM_BYTES) * actions * consumer_invocations,
        sqs_requests=Fraction(_request_units(relayed, entries_per_send(body), body), relayed)
        + (_request_units(delivered, MAXIMUM_BATCH_ENTRIES, body) + _request_units(delivered))
        * consumer_invocations,
        relay_invocations=relay_invocations,
        consumer_invocations=consumer_invocations,
        consumer_calls=attempts * consumer_invocations,
        command_milliseconds=requests_milliseconds(Fraction(1)),
        relay_milliseconds=requests_milliseconds(Fraction(sends)) * relay_invocations,
        consumer_milliseconds=requests_milliseconds(attempts) * consumer_invocations,
        relay_processing_milliseconds=relay_processing_milliseconds(relayed) * relay_invocations,
        consumer_processing_milliseconds=consumer_processing_milliseconds(
            delivered, transactions=attempts, actions=actions
        )
        * consumer_invocations,
        log_bytes=log_bytes_per_event(
            traffic.log_format,
            runs=1 + relay_invocations + consumer_invocations,
            duplicates=traffic.duplicates,
        ),
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


def _transactions(events: int) -> list[int]:
    """How a batch is divided: full transactions first, as the consumer does."""
    full, rest = divmod(events, MAXIMUM_EVENTS_PER_TRANSACTION)
    return [MAXIMUM_EVENTS_PER_TRANSACTION] * full + [rest] * (rest > 0)


def _expected_attempts(events: int, repeats: Fraction) -> Fraction:
    """One, and a second where some of the events, but not all, are repeats."""
    return 2 - (1 - repeats) ** events - repeats**events


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
    full, rest = divmod(messages, entries_per_call)
    calls = [entries_per_call] * full + [rest] * (rest > 0)
    return sum(max(1, ceil(Fraction(entries * body_bytes, SQS_REQUEST_UNIT_BYTES))) for entries in calls)
