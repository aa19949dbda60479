"""The operators of filter patterns: each makes a test of one value from its operand.

They are those of the table in https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventfiltering.html; the
details are EventBridge's, which Lambda's page refers to:
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html. What neither page says is
as AWS's own rule engine has it: https://github.com/aws/event-ruler.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from .values import MISSING, NUMERIC_MOST, Number, as_written, described, same

COMPARISON_TERMS = 2  # sign, bound
RANGE_TERMS = 4  # lower sign, lower bound, upper sign, upper bound

Matcher = Callable[[Any], bool]


class InvalidFilter(ValueError):  # noqa: N818 - a public name, read as `raise InvalidFilter`
    """Raised when Lambda would refuse a filter pattern."""


def _prefix(operand: Any, where: str) -> Matcher:
    start = _text(operand, where)
    return lambda value: isinstance(value, str) and value.startswith(start)


def _suffix(operand: Any, where: str) -> Matcher:
    end = _text(operand, where)
    return lambda value: isinstance(value, str) and value.endswith(end)


def _equals_ignore_case(operand: Any, where: str) -> Matcher:
    """Each character of the pattern stands for its lower and its upper case, as the rule engine compiles it.

    So the pattern `straße` takes STRASSE, and the pattern STRASSE does not take `straße`.
    """
    characters = [
        f"(?:{re.escape(each.lower())}|{re.escape(each.upper())})" for each in _text(operand, where)
    ]
    wanted = re.compile("".join(characters))
    return lambda value: isinstance(value, str) and wanted.fullmatch(value) is not None


def _exists(operand: Any, where: str) -> Matcher:
    if not isinstance(operand, bool):
        raise InvalidFilter(f"{where} is {described(operand)}: give true or false.")
    # Only leaves exist to this operator: a field that holds an object does not.
    return lambda value: (value is not MISSING and not isinstance(value, dict)) is operand


def _anything_but(operand: Any, where: str) -> Matcher:
    unwanted = operand if isinstance(operand, list) else [operand]
    if not unwanted or not all(isinstance(each, (str, Number)) for each in unwanted):
        raise InvalidFilter(f"{where} is {described(operand)}: give a string, a number, or a list of them.")
    return lambda value: (
        value is not MISSING
        and not isinstance(value, dict)
        and not any(same(each, value) for each in unwanted)
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
    signs = [sign for sign in terms[::2] if isinstance(sign, str) and sign in COMPARISONS]
    bounds = [bound.amount for bound in terms[1::2] if isinstance(bound, Number) and bound.amount is not None]
    # Two signs make a range: a lower one first, then an upper one.
    is_shaped = len(terms) == COMPARISON_TERMS or (
        len(terms) == RANGE_TERMS and terms[0] in (">", ">=") and terms[2] in ("<", "<=")
    )
    if not is_shaped or len(signs) + len(bounds) < len(terms):
        raise InvalidFilter(
            f'{where} is {described(operand)}: give ["=", n], one of < <= > >= with a number, '
            f'or a range such as [">", 10, "<=", 20], within plus and minus {NUMERIC_MOST:,}.'
        )
    if len(bounds) > 1 and bounds[0] >= bounds[1]:
        raise InvalidFilter(
            f"{where} begins at {bounds[0]} and ends at {bounds[1]}: give the lower end first."
        )
    tests = [(COMPARISONS[sign], bound) for sign, bound in zip(signs, bounds, strict=True)]

    def matches(value: Any) -> bool:
        number = as_written(value)
        amount = number.amount if isinstance(number, Number) else None
        return amount is not None and all(test(amount, bound) for test, bound in tests)

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
        raise InvalidFilter(f"{where} is {described(operand)}: give a string that is not empty.")
    return operand
