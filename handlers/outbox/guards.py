"""What a guarded effect expects of the item it changes, as data, and as a condition of DynamoDB.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from outbox.items import MAXIMUM_ITEM_BYTES
from outbox.texts import utf8_bytes
from outbox.wire import as_stored, stored_bytes, wire_form

# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-expression-parameters
MAXIMUM_EXPRESSION_BYTES = 4_096
MAXIMUM_OPERATORS = 300


@dataclass(frozen=True)
class AtLeast:
    """Expects a stored number that is as large or larger: enough is left to take.

    Raises:
        TypeError: The number is not an int.
    """

    number: int

    def __post_init__(self) -> None:
        _require_int(self)


@dataclass(frozen=True)
class Below:
    """Expects a stored number that is smaller, or none: what is written is newer than what stands there.

    Raises:
        TypeError: The number is not an int.
    """

    number: int

    def __post_init__(self) -> None:
        _require_int(self)


@dataclass(frozen=True)
class Unset:
    """Expects a stored null, or a missing attribute: both are read as None."""


Expected = Mapping[str, Any]
"""Attribute to what is expected of it: a value that it equals, None where it must be missing, AtLeast, Below."""


class Condition(NamedTuple):
    """An expression with its placeholders; values are in wire form."""

    expression: str
    names: dict[str, str]
    values: dict[str, Any]


def condition(expected: Expected) -> Condition:
    """The condition that holds when every expectation does.

    Raises:
        TypeError: A value has no DynamoDB type.
        ValueError: It has one, and is none that DynamoDB stores; or all together are more than an item can have,
            or than one expression can say.
    """
    tests: list[str] = []
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    for number, (attribute, expectation) in enumerate(expected.items()):
        name, value = f"#g{number}", f":g{number}"
        names[name] = attribute
        if expectation is None:
            tests.append(f"attribute_not_exists({name})")
            continue
        match expectation:
            case AtLeast(bound):
                tests.append(f"{name} >= {value}")
            case Below(bound):
                tests.append(f"(attribute_not_exists({name}) OR {name} < {value})")
            case Unset():
                bound = None
                tests.append(f"(attribute_not_exists({name}) OR {name} = {value})")
            case bound:
                tests.append(f"{name} = {value}")
        values[value] = wire_form(bound, attribute)
    expression = " AND ".join(tests)
    operators = len(tests) - 1 + sum(3 if " OR " in test else 1 for test in tests)
    if len(expression) > MAXIMUM_EXPRESSION_BYTES or operators > MAXIMUM_OPERATORS:
        raise ValueError(
            f"{len(tests)} attributes are expected, in {len(expression)} bytes and {operators} operators; DynamoDB "
            f"accepts {MAXIMUM_EXPRESSION_BYTES} and {MAXIMUM_OPERATORS}: expect fewer"
        )
    size = stored_bytes(values) + sum(map(utf8_bytes, names.values()))
    if size > MAXIMUM_ITEM_BYTES:
        raise ValueError(f"{size} bytes are expected of an item, which has at most {MAXIMUM_ITEM_BYTES}")
    return Condition(expression, names, values)


def guarded(action: Any, expected: Expected) -> Any:
    """A put or update under its condition; a failed one answers with the item that was found.

    The old item in the answer saves a read, and with it the right to read (dynamodb:GetItem).
    """
    guard = condition(expected)
    values = {**action.get("ExpressionAttributeValues", {}), **guard.values}
    return {
        **action,
        "ConditionExpression": guard.expression,
        "ExpressionAttributeNames": {**action.get("ExpressionAttributeNames", {}), **guard.names},
        **({"ExpressionAttributeValues": values} if values else {}),
        "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
    }


def unmet(expected: Expected, item: Mapping[str, Any]) -> list[str]:
    """The attributes of a stored item, in plain values, that are not as expected."""
    return [name for name, expectation in expected.items() if not _holds(expectation, item.get(name))]


def _require_int(bound: AtLeast | Below) -> None:
    # Another type meets no stored number: the words for that would compare the two, and fail the whole batch.
    if type(bound.number) is not int:
        raise TypeError(f"{type(bound).__name__} needs an int, but has {type(bound.number).__name__}")


def _holds(expectation: object, found: object) -> bool:
    match expectation:
        case AtLeast(bound):
            return isinstance(found, int | Decimal) and found >= bound
        case Below(bound):
            return found is None or (isinstance(found, int | Decimal) and found < bound)
        case Unset():
            return found is None
    return found == as_stored(expectation)
