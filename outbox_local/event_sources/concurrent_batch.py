"""One ordered line of deliveries within a shard: gathers batches and keeps the failing ones first.

A shard has ParallelizationFactor concurrent batches, and all changes of one item go through the same one:
https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html.
"""

import json
import zlib
from collections import deque
from collections.abc import Sequence
from itertools import islice

from .events import StreamRecord, within_payload
from .mapping import Mapping
from .retry import Batch, Settlement, backoff_seconds, expire

_encode_key = json.JSONEncoder(sort_keys=True).encode


class ConcurrentBatch:
    """State alone, without time and without calls: every method is told what it needs to know.

    Args:
        mapping: The settings, times already accelerated.
        speed: Divides the pauses between retries.
    """

    def __init__(self, mapping: Mapping, speed: float) -> None:
        self._mapping = mapping
        self._speed = speed
        self._waiting: deque[StreamRecord] = deque()
        self._batches: tuple[Batch, ...] = ()
        self._window_opened_at = 0.0
        self._not_before = 0.0

    def __len__(self) -> int:
        return len(self._waiting) + sum(len(batch.records) for batch in self._batches)

    @property
    def first(self) -> StreamRecord | None:
        """The earliest record that is not done."""
        if self._batches:
            return self._batches[0].records[0]
        return self._waiting[0] if self._waiting else None

    def offer(self, record: StreamRecord, now: float) -> None:
        """Take a record that passed the filter; the first one opens the batching window."""
        if not self:
            self._window_opened_at = now
        self._waiting.append(record)

    def due(self, now: float) -> Batch | None:
        """The batch to deliver now, if there is one; it stays the first until settled or expired."""
        if not self._batches and self._ready(now):
            count = self._next_count()
            self._batches = (Batch(tuple(self._waiting.popleft() for _ in range(count))),)
        return self._batches[0] if self._batches and now >= self._not_before else None

    def expired(self, batch: Batch, now: float) -> tuple[Batch, Batch]:
        """The parts of the due batch that are too old and that are not."""
        return expire(batch, self._mapping, now)

    def keep(self, fresh: Batch, now: float) -> None:
        """Continue with the rest of the due batch, after its expired part was abandoned."""
        self._replace((fresh,) if fresh.records else (), now)

    def settle(self, settlement: Settlement, now: float) -> None:
        """Go on from the decision about the due batch."""
        self._replace(settlement.again, now)
        if settlement.again:
            self._not_before = now + backoff_seconds(settlement.again[0].attempts) / self._speed

    def _replace(self, batches: tuple[Batch, ...], now: float) -> None:
        self._batches = (*batches, *self._batches[1:])
        self._window_opened_at = now  # the next window begins when the previous delivery ends

    def _ready(self, now: float) -> bool:
        count = self._next_count()
        is_full = count == self._mapping.batch_size or count < len(self._waiting)
        return bool(count) and (is_full or now >= self._window_opened_at + self._mapping.window_seconds)

    def _next_count(self) -> int:
        return within_payload(record.size for record in islice(self._waiting, self._mapping.batch_size))


def concurrent_batch_of(
    record: StreamRecord, concurrent_batches: Sequence[ConcurrentBatch]
) -> ConcurrentBatch:
    """Choose by the item's key, the same in every process."""
    if len(concurrent_batches) == 1:
        return concurrent_batches[0]
    key = _encode_key(record.event["dynamodb"].get("Keys", {}))
    return concurrent_batches[zlib.crc32(key.encode()) % len(concurrent_batches)]
