"""Rows of the table of settings: a name, a default, and a check that answers in a sentence, for each kind of value."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

UNLIMITED = -1
"""What Lambda reads as "no limit" for a stream mapping's retries and record age."""

NOT_RESERVED = -1
"""What the AWS provider reads as "share the account's concurrency"."""


class InvalidSettingError(pulumi.RunError, ValueError):
    """Raised when a setting, or several of them together, cannot work on AWS; Pulumi shows the sentence alone."""


@dataclass(frozen=True, kw_only=True)
class WholeNumber:
    """A numeric setting: its name, its default and the numbers that it may be.

    `rule` is the reason for the bounds, added to the message. `outside` is one number beyond the bounds that is
    valid too, and `outside_means` what it says.
    """

    field: str
    default: int
    minimum: int
    maximum: int
    rule: str = ""
    outside: int | None = None
    outside_means: str = ""

    @property
    def range(self) -> str:
        """The valid numbers, in words."""
        also = "" if self.outside is None else f", or {self.outside} {self.outside_means}"
        return f"{self.minimum} to {self.maximum}{also}"

    def read(self, args: Mapping[str, object]) -> int:
        """The setting's value in `args`, or its default when absent or `None`; 0 stays 0.

        Raises:
            InvalidSettingError: the value is no valid whole number.
        """
        value = args.get(self.field)
        number = self.default if value is None else whole_number(self.field, value)
        if number != self.outside and not self.minimum <= number <= self.maximum:
            raise InvalidSettingError(
                f"{self.field} must be {self.range}, but is {number}{self.rule and f': {self.rule}'}."
            )
        return number

    def parse(self, text: str) -> object:
        """The value of a configuration's text; what is no number stays text, which `read` refuses."""
        return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else text


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A setting that is one of a few words or numbers."""

    field: str
    default: Any
    values: Sequence[Any]

    @property
    def range(self) -> str:
        """The valid values, in words."""
        return f"one of {', '.join(map(str, self.values))}"

    def read(self, args: Mapping[str, object]) -> Any:
        """The setting's value in `args`, or its default when absent or `None`.

        Raises:
            InvalidSettingError: the value is none of those.
        """
        value = args.get(self.field)
        if value is None:
            return self.default
        if isinstance(self.default, int):
            value = whole_number(self.field, value)
        if not isinstance(value, type(self.default)) or value not in self.values:
            raise InvalidSettingError(f"{self.field} must be {self.range}, but is {value!r}.")
        return value

    def parse(self, text: str) -> object:
        """The value of a configuration's text."""
        return int(text) if isinstance(self.default, int) and text.isdecimal() else text


@dataclass(frozen=True, kw_only=True)
class Switch:
    """A setting that is on or off."""

    field: str
    default: bool = False
    range: str = "true or false"

    def read(self, args: Mapping[str, object]) -> bool:
        """The setting's value in `args`, or its default when absent or `None`.

        Raises:
            InvalidSettingError: the value is no bool; a text like "false" would count as true.
        """
        value = args.get(self.field)
        if value is None:
            return self.default
        if not isinstance(value, bool):
            raise InvalidSettingError(
                f"{self.field} must be {self.range}, but is {value!r} ({type(value).__name__})."
            )
        return value

    def parse(self, text: str) -> object:
        """The value of a configuration's text; another word stays text, which `read` refuses."""
        return {"true": True, "false": False}.get(text, text)


@dataclass(frozen=True, kw_only=True)
class Words:
    """A setting that is a text of some pattern."""

    field: str
    default: str
    pattern: str
    range: str

    def read(self, args: Mapping[str, object]) -> str:
        """The setting's value in `args`, or its default when absent or `None`.

        Raises:
            InvalidSettingError: the value is no such text.
        """
        value = args.get(self.field)
        text = self.default if value is None else value
        if not isinstance(text, str) or not re.fullmatch(self.pattern, text):
            raise InvalidSettingError(f"{self.field} must be {self.range}, but is {text!r}.")
        return text

    def parse(self, text: str) -> object:
        """The value of a configuration's text: the text."""
        return text


@dataclass(frozen=True, kw_only=True)
class ListOf:
    """A setting that is a list of texts, some of which may be outputs of resources; relations.py checks its items."""

    field: str
    range: str
    default: tuple[str, ...] = ()

    def read(self, args: Mapping[str, object]) -> list[Any]:
        """The setting's items in `args`, or none when absent or `None`.

        Raises:
            InvalidSettingError: one text, of which each character would be an item, or an output of a list.
        """
        value = args.get(self.field)
        return [] if value is None else list(require_list(self.field, value))

    def parse(self, text: str) -> object:
        """The value of a configuration's text, a list in JSON; anything else stays text, which `read` refuses."""
        try:
            return json.loads(text)
        except ValueError:
            return text


Row = WholeNumber | Choice | Switch | Words | ListOf


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
        f"{field} must be a plain whole number, but is {value!r} ({type(value).__name__})."
    )


def require_list(field: str, value: object) -> Sequence[object]:
    """A list, whose items may be outputs.

    Raises:
        InvalidSettingError: one text, of which each character would be an item, or an output of a list.
    """
    if not isinstance(value, list | tuple):
        raise InvalidSettingError(
            f"{field} must be a list, of one item where there is one, but is {value!r} ({type(value).__name__})."
        )
    return value


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
            f"The component name must be 1 to {NAME_MAXIMUM_CHARACTERS} letters, digits, '-' and '_', from which "
            f"AWS names are derived, but is {name!r} with {len(name)} characters."
        )
