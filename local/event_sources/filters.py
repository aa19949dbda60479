"""Lambda's filter patterns: which records a mapping lets through.

The operators are those of the table in https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html;
the details are EventBridge's, which Lambda's page refers to:
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html.
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

PATTERN_CHARACTERS_MOST = 4096  # FilterCriteria's Pattern in Lambda's API reference
NUMERIC_MOST = Decimal(5_000_000_000)  # EventBridge compares numbers between minus and plus five billion
ALTERNATIVES_LEAST = 2
COMPARISON_TERMS = 2  # sign, bound
RANGE_TERMS = 4  # lower sign, lower bound, upper sign, upper bound

Matcher = Callable[[Any], bool]


class InvalidFilter(ValueError):  # noqa: N818 - a public name, read as `raise InvalidFilter`
    """Raised when Lambda would refuse a filter pattern."""


@dataclass(frozen=True)
class Number:
    """A JSON number as it was written: 300, 300.0 and 3.0e2 are three values to Lambda's equality."""

    text: str


class _Missing:
    """Stands for a field that the record does not have; null is a value."""


MISSING: Final = _Missing()


def compile_filter(text: object) -> Callable[[dict[str, Any]], bool]:
    """Turn one pattern into a test of records.

    Args:
        text: The pattern as the mapping stores it: JSON text of an object whose leaves are lists.

    Raises:
        InvalidFilter: The pattern is one Lambda would refuse; says where and why.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidFilter(
            f'the pattern is {text!r}: give JSON text such as \'{{"eventName": ["INSERT"]}}\'.'
        )
    if len(text) > PATTERN_CHARACTERS_MOST:
        raise InvalidFilter(
            f"the pattern has {len(text)} characters: Lambda takes up to {PATTERN_CHARACTERS_MOST}."
        )
    try:
        pattern = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise InvalidFilter(f"the pattern is not valid JSON ({error}).") from error
    if not isinstance(pattern, dict):
        raise InvalidFilter("the pattern is not a JSON object: it names the fields of a record.")
    return _object(pattern, "the pattern")


def compile_filters(texts: Iterable[str]) -> Callable[[dict[str, Any]], bool]:
    """Turn a mapping's patterns into one test: any of them lets a record through, and so does having none."""
    tests = [compile_filter(text) for text in texts]
    if len(tests) == 1:
        return tests[0]
    return lambda record: not tests or any(test(record) for test in tests)


def parse_json(text: str) -> Any:
    """Parse JSON and keep every number as it was written."""
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_refuse_constant)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _object(pattern: dict[str, Any], where: str) -> Matcher:
    if not pattern:
        raise InvalidFilter(
            f"{where} is an empty object: name at least one field with a list of accepted values."
        )
    tests = [
        _either(value, where) if key == "$or" else _field(key, value, f"{where}.{key}")
        for key, value in pattern.items()
    ]
    return tests[0] if len(tests) == 1 else _all_of(tests)


def _either(patterns: Any, where: str) -> Matcher:
    if (
        not isinstance(patterns, list)
        or len(patterns) < ALTERNATIVES_LEAST
        or not all(isinstance(each, dict) for each in patterns)
    ):
        raise InvalidFilter(f"{where}.$or is no list of at least two objects: give the alternatives.")
    return _any_of([_object(each, f"{where}.$or[{index}]") for index, each in enumerate(patterns)])


def _field(key: str, pattern: Any, where: str) -> Matcher:
    if isinstance(pattern, dict):
        return _at(key, _object(pattern, where))
    if not isinstance(pattern, list) or not pattern:
        found = "an empty list" if pattern == [] else _described(pattern)
        raise InvalidFilter(f'{where} is {found}: give a list of accepted values, such as ["OUTBOX"].')
    tests = [_leaf(each, f"{where}[{index}]") for index, each in enumerate(pattern)]
    return _at(key, tests[0] if len(tests) == 1 else _any_of(tests))


def _all_of(tests: list[Matcher]) -> Matcher:
    def matches(value: Any) -> bool:
        for test in tests:  # noqa: SIM110 - a generator would cost more than the tests
            if not test(value):
                return False
        return True

    return matches


def _any_of(tests: list[Matcher]) -> Matcher:
    return lambda value: any(test(value) for test in tests)


def _at(key: str, test: Matcher) -> Matcher:
    """A list in the record matches where one of its elements does; an empty one has no value to match."""

    def matches(record: Any) -> bool:
        value = record.get(key, MISSING) if isinstance(record, dict) else MISSING
        if isinstance(value, list):
            return any(map(test, value)) if value else test(MISSING)
        return test(value)

    return matches


def _leaf(pattern: Any, where: str) -> Matcher:
    if isinstance(pattern, list):
        raise InvalidFilter(
            f"{where} is a list within a list: give strings, numbers, booleans, null or one operator."
        )
    if not isinstance(pattern, dict):
        return _is_text(pattern) if isinstance(pattern, str) else lambda value: _same(pattern, value)
    if len(pattern) != 1:
        raise InvalidFilter(f"{where} has {len(pattern)} operators: give exactly one in each object.")
    [(name, operand)] = pattern.items()
    if name not in OPERATORS:
        raise InvalidFilter(f"{where} uses {name!r}: Lambda's operators are {', '.join(sorted(OPERATORS))}.")
    return OPERATORS[name](operand, f"{where}.{name}")


def _is_text(wanted: str) -> Matcher:
    return lambda value: bool(wanted == value)


def _same(wanted: Any, value: Any) -> bool:
    return bool(wanted == _as_written(value))


def _as_written(value: Any) -> Any:
    """Numbers of records that were built in Python, in the spelling JSON gives them."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return Number(json.dumps(value)) if is_number else value


def _prefix(operand: Any, where: str) -> Matcher:
    start = _text(operand, where)
    return lambda value: isinstance(value, str) and value.startswith(start)


def _suffix(operand: Any, where: str) -> Matcher:
    end = _text(operand, where)
    return lambda value: isinstance(value, str) and value.endswith(end)


def _equals_ignore_case(operand: Any, where: str) -> Matcher:
    wanted = _text(operand, where).casefold()
    return lambda value: isinstance(value, str) and value.casefold() == wanted


def _exists(operand: Any, where: str) -> Matcher:
    if not isinstance(operand, bool):
        raise InvalidFilter(f"{where} is {_described(operand)}: give true or false.")
    # Only leaves exist to this operator: a field that holds an object does not.
    return lambda value: (value is not MISSING and not isinstance(value, dict)) is operand


def _anything_but(operand: Any, where: str) -> Matcher:
    unwanted = operand if isinstance(operand, list) else [operand]
    if not unwanted or not all(isinstance(each, (str, Number)) for each in unwanted):
        raise InvalidFilter(f"{where} is {_described(operand)}: give a string, a number, or a list of them.")
    return lambda value: (
        value is not MISSING
        and not isinstance(value, dict)
        and not any(_same(each, value) for each in unwanted)
    )


COMPARISONS: Final[dict[str, Callable[[Decimal, Decimal], bool]]] = {
    "=": lambda value, bound: value == bound,
    ">": lambda value, bound: value > bound,
    ">=": lambda value, bound: value >= bound,
    "<": lambda value, bound: value < bound,
    "<=": lambda value, bound: value <= bound,
}


def _numeric(operand: Any, where: str) -> Matcher:
    terms = operand if isinstance(operand, list) else []
    signs, bounds = terms[::2], terms[1::2]
    known = all(isinstance(sign, str) and sign in COMPARISONS for sign in signs)
    numbers = all(isinstance(bound, Number) and abs(Decimal(bound.text)) <= NUMERIC_MOST for bound in bounds)
    # Two signs make a range: a lower one first, then an upper one.
    shape = len(terms) == COMPARISON_TERMS or (
        len(terms) == RANGE_TERMS and signs[0] in (">", ">=") and signs[1] in ("<", "<=")
    )
    if not (known and numbers and shape):
        raise InvalidFilter(
            f'{where} is {_described(operand)}: give ["=", n], one of < <= > >= with a number, '
            f'or a range such as [">", 10, "<=", 20], within plus and minus {NUMERIC_MOST:,}.'
        )
    tests = [(COMPARISONS[sign], Decimal(bound.text)) for sign, bound in zip(signs, bounds, strict=True)]

    def matches(value: Any) -> bool:
        number = _as_written(value)
        return isinstance(number, Number) and all(test(Decimal(number.text), bound) for test, bound in tests)

    return matches


OPERATORS: Final[dict[str, Callable[[Any, str], Matcher]]] = {
    "anything-but": _anything_but,
    "equals-ignore-case": _equals_ignore_case,
    "exists": _exists,
    "numeric": _numeric,
    "prefix": _prefix,
    "suffix": _suffix,
}


def _text(operand: Any, where: str) -> str:
    if not isinstance(operand, str) or not operand:
        raise InvalidFilter(f"{where} is {_described(operand)}: give a string that is not empty.")
    return operand


def _described(value: Any) -> str:
    names = {dict: "an object", list: "a list", Number: "a number", bool: "a boolean", type(None): "null"}
    return f"the string {value!r}" if isinstance(value, str) else names[type(value)]
