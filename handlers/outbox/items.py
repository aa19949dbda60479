"""Items as they are stored: keys, kinds, and puts that have to be new."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from outbox.errors import InvalidInputError, describe
from outbox.texts import utf8_bytes
from outbox.wire import to_wire

if TYPE_CHECKING:
    from types_boto3_dynamodb.type_defs import PutTypeDef

# Sum of the UTF-8 bytes of attribute names and values.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAXIMUM_ITEM_BYTES = 409_600

# A partition key has at most 2,048 bytes, a sort key 1,024: an event id fits either, behind every prefix of ours.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html#limits-partition-sort-keys
MAXIMUM_KEY_BYTES = (2_048, 1_024)
MAXIMUM_EVENT_ID_BYTES = 1_024

# DynamoDB's time to live reads epoch seconds; milliseconds would mean a date far off.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html
EXPIRES_AT = "expires_at"

ROW_PREFIX = "OUTBOX#"
MARKER_PREFIX = "INBOX#"
SORT_KEY = "EVENT"

Item = Mapping[str, Any]


class Key(NamedTuple):
    """A full primary key: partition, then sort."""

    PK: str
    SK: str

    def shard(self, number: int) -> Key:
        """The key of one of several items that hold parts of one sum.

        Number 0 is the key itself: what was added before the sum was spread goes on counting.
        """
        return self if number == 0 else Key(self.PK, f"{self.SK}#{number}")


def require_event_id(event_id: object) -> None:
    """Raise InvalidInputError if an event id is no text, empty, or too long to be part of a key."""
    if not isinstance(event_id, str) or not 1 <= utf8_bytes(event_id) <= MAXIMUM_EVENT_ID_BYTES:
        raise InvalidInputError(
            f"event_id must be text of 1 to {MAXIMUM_EVENT_ID_BYTES} UTF-8 bytes, but is {describe(event_id)}"
        )


def require_key(subject: str, key: Iterable[object]) -> None:
    """Raise ValueError if PK or SK is no text, or none that DynamoDB takes as such."""
    for name, part, maximum in zip(Key._fields, key, MAXIMUM_KEY_BYTES, strict=True):
        if not isinstance(part, str) or not 1 <= utf8_bytes(part) <= maximum:
            raise ValueError(
                f"{subject} needs {name}, a text of 1 to {maximum} UTF-8 bytes; it has {describe(part)}"
            )


def outbox_row(event_id: str, body: str) -> Item:
    """The stored intent to send one event; the body is what goes out, byte for byte."""
    return {"PK": ROW_PREFIX + event_id, "SK": SORT_KEY, "kind": "OUTBOX", "event_id": event_id, "body": body}


def inbox_marker(event_id: str, digest: str, expires_at: int | None = None) -> Item:
    """The stored proof that one event was applied, and with which content; it may go at an epoch second."""
    marker: Item = {"PK": MARKER_PREFIX + event_id, "SK": SORT_KEY, "kind": "INBOX", "digest": digest}
    return marker if expires_at is None else {**marker, EXPIRES_AT: expires_at}


def require_lifetime(argument: str, seconds: object) -> None:
    """Raise ValueError if a lifetime is no whole number of seconds: what is stored would be gone at once."""
    if type(seconds) is not int or seconds < 0:
        raise ValueError(
            f"{argument} must be a whole number of seconds, or 0 for ever, but is {describe(seconds)}"
        )


def expiry(now: float, lifetime_seconds: int) -> int:
    """When something stored now may go, in whole epoch seconds."""
    return int(now) + lifetime_seconds


def guarded_put(table: str, item: Item) -> PutTypeDef:
    """A put for an item that must be new; a failed condition answers with the item in its place."""
    return new_put(table, to_wire(item))


def new_put(table: str, wire: dict[str, Any]) -> PutTypeDef:
    """The same of an item in wire form.

    The old item in the answer saves a read, and with it the right to read (dynamodb:GetItem).
    """
    return {
        "TableName": table,
        "Item": wire,
        "ConditionExpression": "attribute_not_exists(PK)",
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def text_bytes(item: Item) -> int:
    """Size of an item as DynamoDB counts it, or a little more: attributes are text, small whole numbers or headers."""
    return len("".join([*item, *map(str, item.values())]).encode("utf-8"))
