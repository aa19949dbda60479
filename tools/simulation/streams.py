"""A table's stream: shards of records that are kept for a day.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Streams.html
"""

import zlib
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from tools.simulation.clock import VirtualClock

RETENTION_SECONDS = 24 * 60 * 60
PAGE_RECORDS_MOST = 1000
FIRST_SEQUENCE_NUMBER = 10**20

Record = dict[str, Any]


class TrimmedDataAccessException(ClientError):  # noqa: N818 - boto3's name
    """Raised when a reader asks for records that are older than a day."""

    def __init__(self) -> None:
        super().__init__(
            {"Error": {"Code": "TrimmedDataAccessException", "Message": "trimmed"}}, "GetRecords"
        )


class ExpiredIteratorException(ClientError):  # noqa: N818 - boto3's name
    """Never raised here: an iterator of this stream does not expire."""


class Stream:
    """Records in shards by the partition key's hash; numbers grow in the order of the changes."""

    def __init__(self, arn: str, clock: VirtualClock, *, shards: int = 1) -> None:
        self.arn = arn
        self._clock = clock
        self._shards: list[list[Record]] = [[] for _ in range(shards)]
        self._trimmed = [0] * shards  # records gone from each shard's beginning
        self._count = 0

    def append(self, event_name: str, keys: dict[str, Any], new_image: dict[str, Any]) -> None:
        """Record one change, with the new image alone."""
        self._count += 1
        number = str(FIRST_SEQUENCE_NUMBER + self._count)
        self._shards[self._index_of(keys)].append(
            {
                "eventID": f"event-{self._count}",
                "eventName": event_name,
                "eventVersion": "1.1",
                "eventSource": "aws:dynamodb",
                "dynamodb": {
                    "ApproximateCreationDateTime": datetime.fromtimestamp(self._clock.now(), UTC),
                    "Keys": keys,
                    "NewImage": new_image,
                    "SequenceNumber": number,
                    "StreamViewType": "NEW_IMAGE",
                },
            }
        )

    def records(self) -> list[Record]:
        """Every record that is still kept, in the order of the changes."""
        self._trim()
        kept = [record for shard in self._shards for record in shard]
        return sorted(kept, key=lambda record: int(record["dynamodb"]["SequenceNumber"]))

    def shard_ids(self) -> list[str]:
        """The shards, none of which ever closes."""
        return [f"shard-{index}" for index in range(len(self._shards))]

    def shard_id_of(self, keys: dict[str, Any]) -> str:
        """The shard that an item's changes go to."""
        return self.shard_ids()[self._index_of(keys)]

    def place(self, shard_id: str, kind: str, sequence_number: str | None) -> int:
        """The index in a shard that an iterator begins at, counted from the first record there ever was."""
        self._trim()
        shard, trimmed = self._shard(shard_id)
        if kind == "TRIM_HORIZON":
            return trimmed
        if kind == "LATEST":
            return trimmed + len(shard)
        numbers = [record["dynamodb"]["SequenceNumber"] for record in shard]
        if sequence_number not in numbers:
            raise TrimmedDataAccessException
        return trimmed + numbers.index(sequence_number) + (kind == "AFTER_SEQUENCE_NUMBER")

    def read(self, shard_id: str, place: int, limit: int) -> list[Record]:
        """Records from a place on."""
        self._trim()
        shard, trimmed = self._shard(shard_id)
        if place < trimmed:
            raise TrimmedDataAccessException
        return shard[place - trimmed : place - trimmed + limit]

    def _index_of(self, keys: dict[str, Any]) -> int:
        return zlib.crc32(keys["PK"]["S"].encode()) % len(self._shards)

    def _shard(self, shard_id: str) -> tuple[list[Record], int]:
        index = self.shard_ids().index(shard_id)
        return self._shards[index], self._trimmed[index]

    def _trim(self) -> None:
        oldest = self._clock.now() - RETENTION_SECONDS
        for index, shard in enumerate(self._shards):
            old = 0
            while (
                old < len(shard)
                and shard[old]["dynamodb"]["ApproximateCreationDateTime"].timestamp() < oldest
            ):
                old += 1
            if old:
                del shard[:old]
                self._trimmed[index] += old


class DynamoDBStreams:
    """The client of one stream."""

    class exceptions:  # noqa: N801 - boto3's name
        """As on a boto3 client."""

        TrimmedDataAccessException = TrimmedDataAccessException
        ExpiredIteratorException = ExpiredIteratorException

    def __init__(self, stream: Stream) -> None:
        self._stream = stream

    def list_streams(self, **_: Any) -> dict[str, Any]:
        """The one stream."""
        return {"Streams": [{"StreamArn": self._stream.arn}]}

    def describe_stream(self, **_: Any) -> dict[str, Any]:
        """The stream's shards."""
        return {"StreamDescription": {"Shards": [{"ShardId": each} for each in self._stream.shard_ids()]}}

    def get_shard_iterator(self, **request: Any) -> dict[str, Any]:
        """An iterator, which is a shard and a place in it."""
        shard_id = request["ShardId"]
        place = self._stream.place(shard_id, request["ShardIteratorType"], request.get("SequenceNumber"))
        return {"ShardIterator": f"{shard_id}/{place}"}

    def get_records(self, **request: Any) -> dict[str, Any]:
        """Records from an iterator on, and the iterator behind them."""
        shard_id, place = request["ShardIterator"].split("/")
        limit = min(request.get("Limit", PAGE_RECORDS_MOST), PAGE_RECORDS_MOST)
        records = self._stream.read(shard_id, int(place), limit)
        return {"Records": records, "NextShardIterator": f"{shard_id}/{int(place) + len(records)}"}
