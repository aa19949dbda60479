"""Items as they are stored: keys, kinds, and the wire form of the low-level client."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
    from types_boto3_dynamodb.type_defs import PutTypeDef

# Sum of the UTF-8 bytes of attribute names and values.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAXIMUM_ITEM_BYTES = 409_600

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
_BEYOND_38_DIGITS = 10**38

# DynamoDB's time to live reads epoch seconds; milliseconds would mean a date far off.
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/time-to-live-ttl-before-you-start.html
EXPIRES_AT = "expires_at"

ROW_PREFIX = "OUTBOX#"
MARKER_PREFIX = "INBOX#"

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


def outbox_row(event_id: str, body: str) -> Item:
    """The stored intent to send one event; the body is what goes out, byte for byte."""
    return {"PK": ROW_PREFIX + event_id, "SK": "EVENT", "kind": "OUTBOX", "event_id": event_id, "body": body}


def inbox_marker(event_id: str, digest: str, expires_at: int | None = None) -> Item:
    """The stored proof that one event was applied, and with which content; it may go at an epoch second."""
    marker: Item = {"PK": MARKER_PREFIX + event_id, "SK": "EVENT", "kind": "INBOX", "digest": digest}
    return marker if expires_at is None else {**marker, EXPIRES_AT: expires_at}


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
    """Size of an item as DynamoDB counts it, whose attributes are text or small whole numbers."""
    return len("".join([*item, *map(str, item.values())]).encode("utf-8"))


def stored_bytes(wire: Mapping[str, Any]) -> int:
    """Size of attributes in wire form as DynamoDB counts it, or a little less: what is above a limit surely is.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    return sum(
        len(name.encode("utf-8", "surrogatepass")) + _value_bytes(value) for name, value in wire.items()
    )


def _value_bytes(typed: Mapping[str, Any]) -> int:
    [(kind, value)] = typed.items()
    size = 1
    match kind:
        case "S":
            size = len(value.encode("utf-8", "surrogatepass"))
        case "B":
            size = len(value)
        case "N":
            size = len(value) // 2
        case "SS" | "NS" | "BS":
            size = sum(_value_bytes({kind[0]: each}) for each in value)
        case "L":
            size = sum(map(_value_bytes, value))
        case "M":
            size = stored_bytes(value)
    return size


def to_wire(item: Item) -> dict[str, Any]:
    """Plain values to `{"S": ...}` form.

    Raises:
        TypeError: A value, such as a float, has no DynamoDB type.
        ValueError: A number has more than 38 digits.
    """
    return {name: {"S": value} if type(value) is str else _wire_form(value) for name, value in item.items()}


def from_wire(item: Mapping[str, Any]) -> dict[str, Any]:
    """`{"S": ...}` form to plain values; numbers become Decimal, which compares equal to int."""
    return {
        name: value["S"] if "S" in value else _deserializer().deserialize(value)
        for name, value in item.items()
    }


def _wire_form(value: object) -> dict[str, Any]:
    """Whole numbers, as text, need none of the serializer's search for a type."""
    if type(value) is int and abs(value) < _BEYOND_38_DIGITS:
        return {"N": str(value)}
    try:
        return dict(_serializer().serialize(value))
    except ArithmeticError as error:
        raise ValueError(
            "a number has more digits, or is further from zero, than DynamoDB's 38 digits"
        ) from error


# Imported on first use: they bring all of boto3 with them, half of what a start would cost.
@cache
def _serializer() -> TypeSerializer:
    from boto3.dynamodb.types import TypeSerializer  # noqa: PLC0415 see above

    return TypeSerializer()


@cache
def _deserializer() -> TypeDeserializer:
    from boto3.dynamodb.types import TypeDeserializer  # noqa: PLC0415 see above

    return TypeDeserializer()
