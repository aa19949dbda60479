"""Plain values in the wire form of the low-level client, and back; what DynamoDB never stores is refused.

Refused here, a value is named. Refused by DynamoDB, it fails a whole transaction, and its neighbours with it.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from outbox.errors import describe
from outbox.texts import is_text, utf8_bytes

if TYPE_CHECKING:
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html#limits-attributes
# The attribute itself is the first; what lies in a list or a mapping is one deeper.
MAXIMUM_LEVELS = 32

# An attribute's name is shorter than 64 KB.
MAXIMUM_NAME_BYTES = 65_535

# 1E-130 to 9.99E+125, of either sign, and 0.
_EXPONENTS = range(-130, 126)
_BEYOND_38_DIGITS = 10**38
_ACCEPTED = (
    "text, int or Decimal of at most 38 digits from 1E-130 to 9.9E125, bool, None, bytes, list, mapping, "
    "or a set of one type of text, numbers or bytes that is not empty"
)
_LONGEST_PLACE_SHOWN = 100


def to_wire(item: Mapping[str, Any]) -> dict[str, Any]:
    """Plain values to `{"S": ...}` form.

    Raises:
        TypeError: A value, such as a float, has no DynamoDB type.
        ValueError: A number has more than 38 digits or is outside 1E-130 to 9.9E125, a set is empty, a name is no
            text, empty or 64 KB long, text has half a surrogate pair, or a value lies too deep.
    """
    return _members(item, "", 1)


def wire_form(value: object, place: str, level: int = 1) -> dict[str, Any]:
    """The form of one value, which errors call by its place; raises what `to_wire` does."""
    # Text and whole numbers need none of the serializer's search for a type.
    if is_text(value):
        return {"S": value}
    if type(value) is int and abs(value) < _BEYOND_38_DIGITS:
        return {"N": str(value)}
    if level == MAXIMUM_LEVELS and isinstance(value, Mapping | list | tuple) and value:
        raise ValueError(
            f"what {_shown(place)} holds lies deeper than the {level} levels that DynamoDB stores; "
            "store it as JSON text"
        )
    if isinstance(value, Mapping):
        return {"M": _members(value, place, level + 1)}
    if isinstance(value, list | tuple):
        return {"L": [wire_form(each, f"{place}[{n}]", level + 1) for n, each in enumerate(value)]}
    refusal = f"{_shown(place)} must be {_ACCEPTED}, but is {describe(value)}"
    if isinstance(value, AbstractSet):
        for each in value:
            wire_form(each, f"an element of {place}")
    if isinstance(value, str) or (isinstance(value, AbstractSet) and not value):
        raise ValueError(refusal)
    if isinstance(value, Decimal) and not (
        value.is_finite() and (value.is_zero() or value.adjusted() in _EXPONENTS)
    ):
        raise ValueError(refusal)
    try:
        return dict(_serializer().serialize(value))
    except TypeError as error:
        raise TypeError(refusal) from error
    except ArithmeticError as error:
        raise ValueError(refusal) from error


def _members(members: Mapping[Any, Any], place: str, level: int) -> dict[str, Any]:
    wire: dict[str, Any] = {}
    for name, value in members.items():
        if not is_name(name):
            raise ValueError(f"{_shown(place) or 'The item'} {refused_name(name)}")
        if type(value) is str and value.isascii():  # by far the most
            wire[name] = {"S": value}
        else:
            wire[name] = wire_form(value, f"{place}.{name}" if place else name, level)
    return wire


def is_name(name: object) -> bool:
    """Whether DynamoDB has attributes of this name."""
    return isinstance(name, str) and 0 < utf8_bytes(name) <= MAXIMUM_NAME_BYTES


def refused_name(name: object) -> str:
    """What is wrong with a name, in words that follow the place that has it."""
    return f"names an attribute {_shown(repr(name))}: a name is text that is not empty, below 64 KB"


def _shown(place: str) -> str:
    return place[:_LONGEST_PLACE_SHOWN]


def from_wire(item: Mapping[str, Any]) -> dict[str, Any]:
    """`{"S": ...}` form to plain values; numbers become Decimal, which compares equal to int."""
    return {
        name: value["S"] if "S" in value else _deserializer().deserialize(value)
        for name, value in item.items()
    }


def as_stored(value: object) -> object:
    """A plain value as it is read back: a tuple is a list then."""
    return from_wire({"": wire_form(value, "")})[""]


def stored_bytes(wire: Mapping[str, Any]) -> int:
    """Size of attributes in wire form as DynamoDB counts it, or a little less: what is above a limit surely is.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
    """
    return sum(utf8_bytes(name) + _value_bytes(value) for name, value in wire.items())


def _value_bytes(typed: Mapping[str, Any]) -> int:
    [(kind, value)] = typed.items()
    size = 1
    match kind:
        case "S":
            size = utf8_bytes(value)
        case "B":
            size = len(value)
        case "N":
            size = len(value) // 2
        case "SS" | "NS" | "BS":
            size = sum(_value_bytes({kind[0]: each}) for each in value)
        case "L":
            size = 3 + len(value) + sum(map(_value_bytes, value))
        case "M":
            size = 3 + len(value) + stored_bytes(value)
    return size


# Imported on first use: they bring all of boto3 with them, half of what a start would cost.
@cache
def _serializer() -> TypeSerializer:
    from boto3.dynamodb.types import TypeSerializer  # noqa: PLC0415 see above

    return TypeSerializer()


@cache
def _deserializer() -> TypeDeserializer:
    from boto3.dynamodb.types import TypeDeserializer  # noqa: PLC0415 see above

    class Deserializer(TypeDeserializer):
        """Reads any stored number: boto3's own raises above 38 digits, which 1E+120 has when written out.

        And bytes as bytes: the `str` of its Binary raises.
        """

        def _deserialize_n(self, value: str) -> Decimal:
            return Decimal(value)

        def _deserialize_b(self, value: bytes) -> bytes:
            return bytes(value)

    return Deserializer()
