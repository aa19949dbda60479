"""Values of records and patterns as the filter language compares them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

# EventBridge compares numbers between minus and plus five billion.
# https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html
NUMERIC_MOST: Final = Decimal(5_000_000_000)


@dataclass(frozen=True)
class Number:
    """A JSON number as it was written: 300, 300.0 and 3.0e2 are three values to Lambda's equality."""

    text: str

    @property
    def amount(self) -> Decimal | None:
        """The number that numeric operators compare; None for a number beyond what they compare."""
        try:
            amount = Decimal(self.text)
            return amount if -NUMERIC_MOST <= amount <= NUMERIC_MOST else None
        except ArithmeticError:  # an exponent of twenty digits; not a number
            return None


class _Missing:
    """Stands for a field that the record does not have; null is a value."""


MISSING: Final = _Missing()


def parse_json(text: str) -> Any:
    """Parse JSON and keep every number as it was written.

    Raises:
        ValueError: The text is no JSON.
        RecursionError: It is nested deeper than Python reads.
    """
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant)


def as_written(value: Any) -> Any:
    """Numbers of records that were built in Python, in the spelling JSON gives them."""
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return value
    try:
        return Number(repr(value))
    except ValueError:  # an integer of more digits than Python writes
        return value


def elements(values: list[Any]) -> Iterator[Any]:
    """The elements of a list, those of lists within it as if they were its own, however deep."""
    open_lists = [iter(values)]
    while open_lists:
        for value in open_lists[-1]:
            if isinstance(value, list):
                open_lists.append(iter(value))
                break
            yield value
        else:
            open_lists.pop()


def same(wanted: Any, value: Any) -> bool:
    """Whether a value is the one wanted, character by character."""
    return bool(wanted == as_written(value))


def described(value: Any) -> str:
    """A value of a pattern in the words of an error."""
    names = {dict: "an object", list: "a list", Number: "a number", bool: "a boolean", type(None): "null"}
    return f"the string {value!r}" if isinstance(value, str) else names[type(value)]


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")
