"""What a value must look like to be accepted, as pure functions that answer in sentences.

Component constructors and the stack's settings call the same rules, so each of them lives once.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pulumi

UNLIMITED = -1
"""What Lambda reads as "no limit" for a stream mapping's retries and record age."""


class InvalidSettingError(pulumi.RunError, ValueError):
    """Raised when a setting, or several of them together, cannot work on AWS; Pulumi shows the sentence alone."""


@dataclass(frozen=True, kw_only=True)
class WholeNumber:
    """A numeric setting: its name, its default and the numbers it accepts.

    `rule` is the reason for the bounds, added to the message. `unlimited` marks a setting for
    which AWS reads -1 as "no limit"; that is refused unless the caller asks for it.
    """

    field: str
    default: int
    minimum: int
    maximum: int
    rule: str = ""
    unlimited: bool = False

    def read(self, args: Mapping[str, object], *, allow_unlimited: bool = False) -> int:
        """The setting's value in `args`, or its default when absent or `None`; 0 stays 0.

        Raises:
            InvalidSettingError: the value is not an accepted whole number.
        """
        value = args.get(self.field)
        number = self.default if value is None else whole_number(self.field, value)
        if number == UNLIMITED and self.unlimited:
            if not allow_unlimited:
                raise InvalidSettingError(
                    f"{self.field} is -1, which means without limit: one bad record would hold its shard "
                    f"until the stream drops it. Give {self.minimum} to {self.maximum}, "
                    "or set allow_unlimited_retries."
                )
        elif not self.minimum <= number <= self.maximum:
            raise InvalidSettingError(
                f"{self.field} is {number}; accepted are {self.minimum} to {self.maximum}"
                f"{self.rule and f': {self.rule}'}."
            )
        return number


@dataclass(frozen=True, kw_only=True)
class OneOf:
    """A numeric setting that accepts a few numbers only."""

    field: str
    default: int
    accepted: Sequence[int]

    def read(self, args: Mapping[str, object]) -> int:
        """The setting's value in `args`, or its default when absent or `None`.

        Raises:
            InvalidSettingError: the value is not one of the accepted numbers.
        """
        value = args.get(self.field)
        number = self.default if value is None else whole_number(self.field, value)
        if number not in self.accepted:
            raise InvalidSettingError(
                f"{self.field} is {number}; accepted are {', '.join(map(str, self.accepted))}."
            )
        return number


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A setting that accepts a few words only."""

    field: str
    default: str
    accepted: Sequence[str]

    def read(self, args: Mapping[str, object]) -> str:
        """The setting's value in `args`, or its default when absent or `None`.

        Raises:
            InvalidSettingError: the value is not one of the accepted words.
        """
        value = args.get(self.field)
        if value is None:
            return self.default
        if not isinstance(value, str) or value not in self.accepted:
            raise InvalidSettingError(f"{self.field} is {value!r}; accepted are {', '.join(self.accepted)}.")
        return value


NOT_RESERVED = -1
"""What the AWS provider reads as "share the account's concurrency"."""


def reserved_concurrency(args: Mapping[str, object], field: str = "reserved_concurrency") -> int | None:
    """How many invocations are kept for a function alone; `None` when it shares the account's.

    Raises:
        InvalidSettingError: 0, which stops the function, or no whole number.
    """
    value = args.get(field)
    number = NOT_RESERVED if value is None else whole_number(field, value)
    if number == NOT_RESERVED:
        return None
    if number < 1:
        raise InvalidSettingError(
            f"{field} is {number}; accepted is 1 or more, or {NOT_RESERVED} to share the account's concurrency: "
            "0 would stop the function."
        )
    return number


def whole_number(field: str, value: object) -> int:
    """`value` as an int; a float without fraction is one, because the plugin protocol knows no other numbers.

    Raises:
        InvalidSettingError: the value is of another type, a bool, or has a fraction.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise InvalidSettingError(
        f"{field} is {value!r} ({type(value).__name__}); accepted is a plain whole number."
    )


def flag(args: Mapping[str, object], field: str) -> bool:
    """The switch `field` in `args`; off when absent or `None`.

    Raises:
        InvalidSettingError: the value is not a bool; a text like "false" would count as true.
    """
    value = args.get(field)
    if value is None:
        return False
    if not isinstance(value, bool):
        raise InvalidSettingError(
            f"{field} is {value!r} ({type(value).__name__}); accepted is true or false."
        )
    return value


RUNBOOK = "docs/runbook.md"
"""The runbook in this repository, for who has no other address of it."""


def runbook_of(args: Mapping[str, object]) -> str:
    """Where the runbook is found: `runbook_url` of `args`, or the file of this repository.

    Raises:
        InvalidSettingError: not an address that a section can be appended to.
    """
    value = args.get("runbook_url")
    address = RUNBOOK if value is None else value
    if not isinstance(address, str) or not re.fullmatch(r"[^\s#]{1,500}", address):
        raise InvalidSettingError(
            f"runbook_url is {address!r}; accepted is an address of 1 to 500 characters without spaces and without "
            "'#': each alarm appends the section of its own."
        )
    return address


NAME_MAXIMUM_CHARACTERS = 36
"""Longest component name whose longest function name still fits Lambda's 64 characters:
64 less `-reconciler-function` (20) and Pulumi's random end (8)."""


def require_name(name: str) -> None:
    """Refuse a component name from which AWS would accept no function, role or queue name.

    Raises:
        InvalidSettingError: too long, or with characters other than letters, digits, `-` and `_`.
    """
    if not re.fullmatch(rf"[A-Za-z0-9_-]{{1,{NAME_MAXIMUM_CHARACTERS}}}", name):
        raise InvalidSettingError(
            f"The component name {name!r} has {len(name)} characters; accepted are 1 to "
            f"{NAME_MAXIMUM_CHARACTERS} letters, digits, '-' and '_': AWS names are derived from it."
        )
