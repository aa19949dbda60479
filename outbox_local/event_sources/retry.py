"""Decision about a stream batch after its delivery, as a pure function.

Sources: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html and
https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-batchfailurereporting.html.
"""

from dataclasses import dataclass, replace

from .events import StreamRecord
from .invocation import NotInvoked, Outcome
from .mapping import Mapping
from .responses import failed_identifiers

# The words of the invocation record's `condition`. AWS's page shows the first alone; the second is what its records
# are reported to say.
RETRIES_EXHAUSTED = "RetryAttemptsExhausted"
RECORD_TOO_OLD = "RecordAgeExceeded"

STREAM_RETENTION_SECONDS = 24 * 60 * 60  # DynamoDB keeps a record a day; "for ever" ends there
BACKOFF_BASE_SECONDS = 0.5  # AWS backs off exponentially and publishes no figures; these are ours
BACKOFF_MOST_SECONDS = 30.0


@dataclass(frozen=True)
class Batch:
    """Records delivered together.

    `retries_spent` is what the first record has used of the retry budget. `attempts` counts the deliveries
    that failed in a row, throttled ones included, and sets the pause before the next.
    """

    records: tuple[StreamRecord, ...]
    retries_spent: int = 0
    attempts: int = 0


@dataclass(frozen=True)
class Settlement:
    """Batches to deliver next, in this order, and those to abandon, with the condition that ended them."""

    again: tuple[Batch, ...] = ()
    failed: int = 0
    discarded: Batch | None = None


def settle(batch: Batch, outcome: Outcome, mapping: Mapping) -> Settlement:
    """Decide after a delivery.

    - Not invoked: the same batch again; only age ends that, so no retry is spent.
    - Success: nothing is left.
    - Some failed: the lowest reported record is the checkpoint; what comes before it is done.
    - No progress, bisect on: two halves, no retry spent, until the culprit is alone.
    - Otherwise a retry is spent. The budget is that of the record at the checkpoint, so it starts anew behind
      progress; once used up, the rest of the batch is discarded as one, as AWS retries and discards batches.
    """
    if isinstance(outcome, NotInvoked):
        return Settlement(again=(replace(batch, attempts=batch.attempts + 1),), failed=len(batch.records))
    sequence_numbers = [record.sequence_number for record in batch.records]
    failed = failed_identifiers(
        outcome.payload,
        function_error=outcome.function_error,
        identifiers=sequence_numbers,
        reporting=mapping.reports_failures,
    )
    if not failed:
        return Settlement()
    checkpoint = sequence_numbers.index(min(failed, key=int))
    rest = batch.records[checkpoint:]
    if mapping.bisects and len(batch.records) > 1:
        again = (Batch(rest, attempts=1),) if checkpoint else _halves(rest)
        return Settlement(again=again, failed=len(rest))
    spent = 1 if checkpoint else batch.retries_spent + 1
    remaining = Batch(rest, retries_spent=spent, attempts=1 if checkpoint else batch.attempts + 1)
    if mapping.retries is not None and spent > mapping.retries:
        return Settlement(failed=len(rest), discarded=remaining)
    return Settlement(again=(remaining,), failed=len(rest))


def expire(batch: Batch, mapping: Mapping, now: float) -> tuple[Batch, Batch]:
    """Split a batch into what is too old and what may still be delivered; either can be empty."""
    age = STREAM_RETENTION_SECONDS if mapping.record_age_seconds is None else mapping.record_age_seconds
    oldest = now - min(age, STREAM_RETENTION_SECONDS)
    old = 0
    while old < len(batch.records) and batch.records[old].created_at < oldest:
        old += 1
    if not old:
        return Batch(()), batch
    return replace(batch, records=batch.records[:old]), Batch(batch.records[old:])


def backoff_seconds(attempts: int) -> float:
    """The pause after so many failed deliveries in a row."""
    doublings = min(max(attempts - 1, 0), 16)
    return min(BACKOFF_BASE_SECONDS * 2.0**doublings, BACKOFF_MOST_SECONDS)


def _halves(records: tuple[StreamRecord, ...]) -> tuple[Batch, ...]:
    middle = len(records) // 2
    return Batch(records[:middle], attempts=1), Batch(records[middle:])
