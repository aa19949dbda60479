"""The batches that Lambda abandoned for the relay, with their positions in the stream.

A message of the failure queue holds no event, only a place in the stream. The events are stored, and a reconciliation
finds them: so the messages may go once it finds nothing lost.
https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from outbox_cli.durations import duration
from outbox_cli.errors import OperatorError
from outbox_cli.queue_messages import READ_MOST, InFlight, Message, reading
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.stack.deployed import Stack

QUEUE = "relay_failure_queue_url"
# Between the command's clock, which a row's minute is of, and the stream's.
CLOCKS_DIFFER_SECONDS = 300


@dataclass(frozen=True)
class RelayFailure:
    """An abandoned batch, with times as AWS writes them; or a foreign message, which describes none."""

    message_id: str
    condition: str | None = None
    """The limit that was reached: `RetryAttemptsExhausted`, `RecordAgeExceeded`."""
    at: str | None = None
    records: int = 0
    shard: str | None = None
    first_sequence_number: str | None = None
    last_sequence_number: str | None = None
    first_stored_at: str | None = None
    last_stored_at: str | None = None
    sent: float = 0.0
    """When the message was sent (epoch seconds): no event of its batch is younger."""

    @property
    def tells_of_batch(self) -> bool:
        """Whether the message is Lambda's."""
        return self.at is not None

    @property
    def newest(self) -> float:
        """When the last event of the batch was stored at the latest (epoch seconds)."""
        told = self.last_stored_at
        return self.sent if told is None else datetime.fromisoformat(told).timestamp()


@dataclass(frozen=True)
class Failures:
    """The visible content of the failure queue."""

    batches: list[RelayFailure]
    may_have_more: bool
    in_flight: InFlight

    @property
    def is_complete(self) -> bool:
        """Whether these are all that the queue holds."""
        return not self.may_have_more and not self.in_flight.count


def list_failures(stack: Stack, most: int = READ_MOST) -> Failures:
    """Reads up to `most` messages and releases them."""
    with reading(stack, stack[QUEUE], most) as found:
        batches = [_read(each) for each in found]
    return Failures(sorted(batches, key=lambda each: each.at or ""), found.may_have_more, found.in_flight)


def clear_failures(
    stack: Stack,
    batches: Sequence[RelayFailure],
    look: Callable[[], Reconciliation],
    *,
    margin_seconds: float,
    now: Callable[[], float] = time.time,
) -> int:
    """Deletes these messages when no stored event is unapplied, and says how many; what came meanwhile stays.

    Args:
        stack: whose.
        batches: the ones to delete.
        look: holds every row of the whole table against its marker. The index by the minute is no proof: rows
            stored before it was on, or by a program that gives them no keys, are not in it.
        margin_seconds: how long the look counts an event as on its way.
        now: the time, epoch seconds.

    Raises:
        OperatorError: events are lost or parked still, or a batch is too young for the look to tell.
    """
    age = now() - max(each.newest for each in batches)
    # A row's minute is of the command's clock: one that is ahead makes it look younger than its batch.
    certain_after = margin_seconds + CLOCKS_DIFFER_SECONDS if margin_seconds else 0
    if age < certain_after:
        raise OperatorError(
            f"The newest of these batches was stored {duration(max(age, 0.0))} ago, and its events count as on "
            f"their way for {duration(certain_after)}: clear after that, or with --margin-seconds 0, which "
            "counts them as lost at once."
        )
    found = look()
    if found.lost.count:
        raise OperatorError(
            f"{found.lost.count} stored events are lost still, {min(found.lost.reasons)} among them: "
            "`outbox reconcile --resend` sends them; clear when it finds nothing lost."
        )
    if found.parked.count:
        raise OperatorError(
            f"{found.parked.count} stored events can never be sent as they are, {min(found.parked.reasons)} among "
            "them: `outbox correct` gives each its right body, or ends its lifetime; clear afterwards."
        )
    ids = {each.message_id for each in batches}
    with reading(stack, stack[QUEUE]) as messages:
        seen = [each["MessageId"] for each in messages if each["MessageId"] in ids]
        return len(seen) - len(messages.delete(seen))


def _read(message: Message) -> RelayFailure:
    """Parses a message; a foreign one describes no batch."""
    sent = int(message["Attributes"]["SentTimestamp"]) / 1000
    try:
        told: dict[str, Any] = json.loads(message["Body"])
        batch = told["DDBStreamBatchInfo"]
        at = told["timestamp"]
        first, last = batch["approximateArrivalOfFirstRecord"], batch["approximateArrivalOfLastRecord"]
        for each in (at, first, last):
            datetime.fromisoformat(each).timestamp()
        return RelayFailure(
            message["MessageId"],
            condition=told["requestContext"]["condition"],
            at=at,
            records=batch["batchSize"],
            shard=batch["shardId"],
            first_sequence_number=batch["startSequenceNumber"],
            last_sequence_number=batch["endSequenceNumber"],
            first_stored_at=first,
            last_stored_at=last,
            sent=sent,
        )
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        return RelayFailure(message["MessageId"], sent=sent)
