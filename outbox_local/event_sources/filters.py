"""Lambda's filter patterns: which records a mapping lets through.

Structure of patterns: https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html; their operators
are in `operators`. A list in a record matches where one of its elements does, those of lists within it included, as
in AWS's rule engine (https://github.com/aws/event-ruler); an empty one has no value to match. No record makes a
filter fail: what a pattern cannot compare does not match it.
"""

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .operators import OPERATORS, InvalidFilter, Matcher
from .values import MISSING, described, elements, parse_json, same

__all__ = ["Body", "InvalidFilter", "body_of", "compile_body_filters", "compile_filter", "compile_filters"]

PATTERN_CHARACTERS_MOST = 4096  # FilterCriteria's Pattern in Lambda's API reference
PATTERN_LEVELS_MOST = 100  # AWS publishes no limit; deeper than any item and any message of use
ALTERNATIVES_LEAST = 2

Field = Callable[[str, Any, str], Matcher]  # compiles one field of a pattern: name, pattern, where it stands


class Body(NamedTuple):
    """The body of a queue's message as filters see it."""

    value: Any
    is_json: bool


def compile_filter(text: object) -> Callable[[dict[str, Any]], bool]:
    """Turn one pattern into a test of stream records.

    Args:
        text: The pattern as the mapping stores it: JSON text of an object whose leaves are lists.

    Raises:
        InvalidFilter: The pattern is one Lambda would refuse; says where and why.
    """
    return _object(_parsed(text), "the pattern", _field)


def compile_filters(texts: Iterable[object]) -> Callable[[dict[str, Any]], bool]:
    """Turn a stream mapping's patterns into one test: any lets a record through, and so does having none."""
    return _any_or_none([compile_filter(text) for text in texts])


def compile_body_filters(texts: Iterable[object]) -> Callable[[Body], bool]:
    """The same for a queue mapping, whose patterns are of the body alone, and whose tests are given it.

    A pattern of fields is for JSON and one of values for plain text; the other kind of body does not match:
    https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html.

    Raises:
        InvalidFilter: Also for a pattern of anything but the body, which AWS does not support.
    """
    return _any_or_none([_object(_parsed(text), "the pattern", _body) for text in texts])


def body_of(text: str) -> Body:
    """Read a message's body: JSON of any kind, or plain text."""
    try:
        return Body(parse_json(text), is_json=True)
    except (ValueError, RecursionError):
        return Body(text, is_json=False)


def _any_or_none(tests: list[Matcher]) -> Matcher:
    if len(tests) == 1:
        return tests[0]
    return lambda record: not tests or any(test(record) for test in tests)


def _parsed(text: object) -> dict[str, Any]:
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
    if _is_deeper(pattern, PATTERN_LEVELS_MOST):
        raise InvalidFilter(
            f"the pattern is nested more than {PATTERN_LEVELS_MOST} levels deep: name fields nearer to the top."
        )
    return pattern


def _is_deeper(pattern: Any, levels: int) -> bool:
    inner = pattern.values() if isinstance(pattern, dict) else pattern if isinstance(pattern, list) else ()
    return not levels or any(_is_deeper(each, levels - 1) for each in inner)


def _object(pattern: dict[str, Any], where: str, field: Field) -> Matcher:
    if not pattern:
        raise InvalidFilter(
            f"{where} is an empty object: name at least one field with a list of accepted values."
        )
    tests = [
        _either(value, where, field) if key == "$or" else field(key, value, f"{where}.{key}")
        for key, value in pattern.items()
    ]
    return tests[0] if len(tests) == 1 else _all_of(tests)


def _either(patterns: Any, where: str, field: Field) -> Matcher:
    if (
        not isinstance(patterns, list)
        or len(patterns) < ALTERNATIVES_LEAST
        or not all(isinstance(each, dict) for each in patterns)
    ):
        raise InvalidFilter(f"{where}.$or is no list of at least two objects: give the alternatives.")
    return _any_of([_object(each, f"{where}.$or[{index}]", field) for index, each in enumerate(patterns)])


def _field(key: str, pattern: Any, where: str) -> Matcher:
    test = _values(pattern, where)

    def matches(record: Any) -> bool:
        value = record.get(key, MISSING) if isinstance(record, dict) else MISSING
        return _in_list(test, value) if isinstance(value, list) else test(value)

    return matches


def _body(key: str, pattern: Any, where: str) -> Matcher:
    if key != "body":
        raise InvalidFilter(f"{where} is no part of a message's body: a queue is filtered by `body` alone.")
    test = _values(pattern, where)
    wants_json = isinstance(pattern, dict)

    def matches(body: Body) -> bool:
        value, is_json = body
        if is_json is not wants_json:
            return False
        return _in_list(test, value) if isinstance(value, list) else test(value)

    return matches


def _values(pattern: Any, where: str) -> Matcher:
    if isinstance(pattern, dict):
        return _object(pattern, where, _field)
    if not isinstance(pattern, list) or not pattern:
        found = "an empty list" if pattern == [] else described(pattern)
        raise InvalidFilter(f'{where} is {found}: give a list of accepted values, such as ["OUTBOX"].')
    tests = [_leaf(each, f"{where}[{index}]") for index, each in enumerate(pattern)]
    return tests[0] if len(tests) == 1 else _any_of(tests)


def _in_list(test: Matcher, values: list[Any]) -> bool:
    is_empty = True
    for value in elements(values):
        if test(value):
            return True
        is_empty = False
    return is_empty and test(MISSING)


def _all_of(tests: list[Matcher]) -> Matcher:
    def matches(value: Any) -> bool:
        for test in tests:  # noqa: SIM110 - a generator would cost more than the tests
            if not test(value):
                return False
        return True

    return matches


def _any_of(tests: list[Matcher]) -> Matcher:
    return lambda value: any(test(value) for test in tests)


def _leaf(pattern: Any, where: str) -> Matcher:
    if isinstance(pattern, list):
        raise InvalidFilter(
            f"{where} is a list within a list: give strings, numbers, booleans, null or one operator."
        )
    if not isinstance(pattern, dict):
        return _is_text(pattern) if isinstance(pattern, str) else lambda value: same(pattern, value)
    if len(pattern) != 1:
        raise InvalidFilter(f"{where} has {len(pattern)} operators: give exactly one in each object.")
    [(name, operand)] = pattern.items()
    if name not in OPERATORS:
        raise InvalidFilter(f"{where} uses {name!r}: Lambda's operators are {', '.join(sorted(OPERATORS))}.")
    return OPERATORS[name](operand, f"{where}.{name}")


def _is_text(wanted: str) -> Matcher:
    return lambda value: bool(wanted == value)
