"""The proofs that events were applied, read a hundred at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from outbox.errors import NotReadError
from outbox.items import MARKER_PREFIX
from outbox.retry import Backoff

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

# https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html
KEYS_A_CALL = 100

_NAMES = {"#key": "PK", "#digest": "digest"}


class Markers(NamedTuple):
    """The digests of the events that have a marker, by event id, and the read units that reading them cost."""

    digests: dict[str, str]
    read_units: float


def read_markers(
    client: DynamoDBClient, table: str, event_ids: Iterable[str], backoff: Backoff, *, consistent: bool
) -> Markers:
    """Read the markers of events; half a unit each, or one when the read is strongly consistent.

    What DynamoDB leaves unprocessed, under throttling or beyond 16 MB, is asked for again after a pause.

    Raises:
        NotReadError: Some keys stayed unprocessed until the time was used up.
        ClientError: DynamoDB refused the call.
    """
    digests: dict[str, str] = {}
    read_units = 0.0
    left = iter(event_ids)
    while keys := [_key(event_id) for event_id in islice(left, KEYS_A_CALL)]:
        attempt = 0
        while keys:
            answer = backoff.call(
                client.batch_get_item,
                RequestItems={table: _request(keys, consistent=consistent)},
                ReturnConsumedCapacity="TOTAL",
            )
            for item in answer["Responses"].get(table, []):
                digests[item["PK"]["S"][len(MARKER_PREFIX) :]] = item.get("digest", {}).get("S", "")
            read_units += sum(each["CapacityUnits"] for each in answer.get("ConsumedCapacity", []))
            tables: dict[str, Any] = dict(answer.get("UnprocessedKeys", {}))
            unprocessed = tables[table]["Keys"] if table in tables else []
            if unprocessed and not backoff.pause(0 if len(unprocessed) < len(keys) else attempt):
                raise NotReadError(f"{len(unprocessed)} of {len(keys)} markers were not read in time")
            keys = unprocessed
            attempt += 1
    return Markers(digests, read_units)


def _key(event_id: str) -> dict[str, Any]:
    return {"PK": {"S": MARKER_PREFIX + event_id}, "SK": {"S": "EVENT"}}


def _request(keys: Sequence[Any], *, consistent: bool) -> Any:
    return {
        "Keys": keys,
        "ConsistentRead": consistent,
        "ProjectionExpression": "#key, #digest",
        "ExpressionAttributeNames": _NAMES,
    }
