"""One shard of a stream: reads its records, and delivers them through its concurrent batches."""

import logging
import math
from collections.abc import Callable, Collection, MutableMapping, Sequence
from concurrent.futures import Executor
from typing import TYPE_CHECKING, NamedTuple

from .clock import Clock
from .concurrent_batch import ConcurrentBatch, concurrent_batch_of
from .events import StreamRecord, stream_record
from .filters import compile_filters
from .invocation import Outcome
from .mapping import Mapping
from .observation import Observation, Observer, delivery
from .retry import RECORD_TOO_OLD, RETRIES_EXHAUSTED, Batch, settle

if TYPE_CHECKING:
    from types_boto3_dynamodbstreams import DynamoDBStreamsClient
    from types_boto3_dynamodbstreams.type_defs import GetRecordsOutputTypeDef, RecordTypeDef

logger = logging.getLogger(__name__)

READ_RECORDS_MOST = 1000  # of one GetRecords call
# How many records may wait behind failing ones, a batch each besides, so that the other concurrent batches have work.
# AWS publishes no figure; this one is ours.
READ_AHEAD_RECORDS_MOST = 10_000


class Position(NamedTuple):
    """A place in a shard, in the words of GetShardIterator; at TRIM_HORIZON, with what is older left out.

    `created_from` is in epoch seconds: what a mapping goes on by that began at LATEST and has read nothing yet.
    """

    iterator_type: str
    sequence_number: str | None = None
    created_from: float | None = None


Positions = MutableMapping[str, Position]
Deliver = Callable[[list[bytes]], Outcome]  # told encoded records
# Told a discarded batch, the condition that ended it and the outcome of its last delivery, if it had one.
Discard = Callable[[str, Batch, str, Outcome | None], None]


class Shard:
    """Reads on from its stored position; the position moves only behind records that are done.

    Args:
        mapping: The settings, times already accelerated.
        speed: Divides the pauses between retries.
        positions: Where each shard goes on after the poller was stopped or its mapping changed.
        deliver: Invokes the function.
        discard: Told of every abandoned batch, before the shard moves on.
    """

    def __init__(
        self,
        shard_id: str,
        mapping: Mapping,
        *,
        streams: "DynamoDBStreamsClient",
        positions: Positions,
        executor: Executor,
        deliver: Deliver,
        discard: Discard,
        clock: Clock,
        observer: Observer,
        speed: float,
    ) -> None:
        self.id = shard_id
        self._mapping = mapping
        self._streams = streams
        self._positions = positions
        self._executor = executor
        self._deliver = deliver
        self._discard = discard
        self._clock = clock
        self._observer = observer
        self._passes = compile_filters(mapping.filters)
        self._concurrent_batches = [ConcurrentBatch(mapping, speed) for _ in range(mapping.parallelization)]
        self._cursor = positions[shard_id]
        self._iterator: str | None = None
        self._created_from: float | None = None
        self._is_read_out = False

    @property
    def is_finished(self) -> bool:
        """Whether the shard is closed and everything in it is done, so that its children may start."""
        return self._is_read_out and not self._pending

    @property
    def _pending(self) -> int:
        return sum(len(concurrent) for concurrent in self._concurrent_batches)

    def step(self) -> bool:
        """Read if there is room, deliver what is due, and tell whether anything was done.

        A delivery that ends in an error is raised once the others of the step are settled.
        """
        received = self.read()
        due = self.due()
        errors = []
        outcomes = self._executor.map(self._outcome, [batch for _, batch in due])
        for (concurrent, batch), outcome in zip(due, outcomes, strict=True):
            if isinstance(outcome, Exception):
                errors.append(outcome)
            else:
                self.settle(concurrent, batch, outcome)
        if errors:
            raise errors[0]
        return bool(received or due)

    def read(self) -> int:
        """Take new records into the concurrent batches if one has room and not too many wait; answers how many came."""
        batch_size = self._mapping.batch_size
        has_room = any(len(concurrent) < batch_size for concurrent in self._concurrent_batches) and (
            self._pending < batch_size * len(self._concurrent_batches) + READ_AHEAD_RECORDS_MOST
        )
        return self._read() if has_room and not self._is_read_out else 0

    def due(self, busy: Collection[ConcurrentBatch] = ()) -> list[tuple[ConcurrentBatch, Batch]]:
        """Batches to deliver now: at most one of each concurrent batch, none of a busy one, whose delivery is in hand.

        Records that have grown too old are abandoned first.
        """
        free = [concurrent for concurrent in self._concurrent_batches if concurrent not in busy]
        due = [(concurrent, batch) for concurrent in free if (batch := self._due(concurrent))]
        self._store_position()
        return due

    def settle(self, concurrent: ConcurrentBatch, batch: Batch, outcome: Outcome) -> None:
        """Go on from the outcome of one delivery, and move the stored position behind what is done."""
        settlement = settle(batch, outcome, self._mapping)
        if settlement.discarded:
            self._abandon(settlement.discarded, RETRIES_EXHAUSTED, outcome)
        concurrent.settle(settlement, self._clock.now())
        self._store_position()
        self._observer(delivery(self._mapping, outcome, records=len(batch.records), failed=settlement.failed))

    def _outcome(self, batch: Batch) -> Outcome | Exception:
        try:
            return self._deliver([record.encoded for record in batch.records])
        except Exception as error:  # noqa: BLE001 - the caller raises it
            return error

    def _due(self, concurrent: ConcurrentBatch) -> Batch | None:
        now = self._clock.now()
        while batch := concurrent.due(now):
            old, fresh = concurrent.expired(batch, now)
            if not old.records:
                return batch
            self._abandon(old, RECORD_TOO_OLD, None)
            concurrent.keep(fresh, now)
        return None

    def _abandon(self, batch: Batch, condition: str, outcome: Outcome | None) -> None:
        logger.warning(
            "mapping %s abandons %d records from %s to %s: %s",
            self._mapping.uuid,
            len(batch.records),
            batch.records[0].sequence_number,
            batch.records[-1].sequence_number,
            condition,
        )
        self._discard(self.id, batch, condition, outcome)
        numbers = tuple(record.sequence_number for record in batch.records)
        self._observer(Observation(self._mapping, "discarded", len(numbers), 0, condition, numbers))

    def _read(self) -> int:
        page = self._next_page()
        if page is None:
            return 0
        now = self._clock.now()
        passed = 0
        records = self._begun(page["Records"])
        for record in records:
            event = stream_record(record, source_arn=self._mapping.source_arn, region=self._mapping.region)
            self._cursor = Position("AFTER_SEQUENCE_NUMBER", event["dynamodb"]["SequenceNumber"])
            if self._passes(event):
                item = StreamRecord.of(event)
                concurrent_batch_of(item, self._concurrent_batches).offer(item, now)
                passed += 1
        self._iterator = page.get("NextShardIterator")
        self._is_read_out = self._iterator is None
        if filtered := len(records) - passed:
            self._observer(Observation(self._mapping, "filtered", records=filtered))
        return len(page["Records"])

    def _begun(self, records: "Sequence[RecordTypeDef]") -> "Sequence[RecordTypeDef]":
        """Leave out what was written before the mapping began; what follows the first later record is all later."""
        if self._created_from is None:
            return records
        for index, record in enumerate(records):
            if record["dynamodb"]["ApproximateCreationDateTime"].timestamp() >= self._created_from:
                self._created_from = None
                return records[index:]
        return ()

    def _next_page(self) -> "GetRecordsOutputTypeDef | None":
        """Read on, or find a new place to read from and answer None."""
        try:
            self._iterator = self._iterator or self._new_iterator()
            return self._streams.get_records(ShardIterator=self._iterator, Limit=READ_RECORDS_MOST)
        except self._streams.exceptions.ExpiredIteratorException:
            self._iterator = None
        except self._streams.exceptions.TrimmedDataAccessException:
            logger.warning(
                "mapping %s: records were trimmed before they were read; going on at the oldest",
                self._mapping.uuid,
            )
            self._iterator, self._cursor = None, Position("TRIM_HORIZON")
            self._observer(Observation(self._mapping, "trimmed", records=0))
        return None

    def _new_iterator(self) -> str:
        iterator_type, sequence_number, self._created_from = self._cursor
        place = {} if sequence_number is None else {"SequenceNumber": sequence_number}
        answer = self._streams.get_shard_iterator(
            StreamArn=self._mapping.source_arn,
            ShardId=self.id,
            ShardIteratorType=iterator_type,  # type: ignore[arg-type]  # one of the API's four words
            **place,
        )
        if iterator_type == "LATEST":
            # Asked for again later, LATEST would pass over all that came meanwhile. Creation times are whole seconds.
            self._cursor = Position("TRIM_HORIZON", created_from=math.floor(self._clock.now()))
            self._store_position()
        return answer["ShardIterator"]

    def _store_position(self) -> None:
        firsts = [
            concurrent.first.sequence_number for concurrent in self._concurrent_batches if concurrent.first
        ]
        self._positions[self.id] = (
            Position("AT_SEQUENCE_NUMBER", min(firsts, key=int)) if firsts else self._cursor
        )
