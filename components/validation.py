"""Rows of the table of settings: a name, a default, and a check that answers in a sentence, for each kind of value."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pulumi

UNLIMITED = -1
"""The value that Lambda reads as "no limit" for a stream mapping's retries and record age."""

NOT_RESERVED = -1
"""The value that the AWS provider reads as "share the account's concurrency"."""


class InvalidSettingError(pulumi.RunError, ValueError):
    """Raised when a setting, or several of them together, cannot work on AWS; Pulumi shows the sentence alone."""


@dataclass(frozen=True)
class Row(ABC):
    """A setting: the argument's name, its default, and the values that it may have."""

    field: str
    default: Any

    @property
    def range(self) -> str:
        """The valid values, in words."""
        return self._range()

    def read(self, args: Mapping[str, object]) -> Any:
        """The setting's value in `args`, or its default when absent or `None`; 0 stays 0.

        Raises:
            InvalidSettingError: the value is not valid.
        """
        value = args.get(self.field)
        return self.default if value is None else self._checked(value)

    def parse(self, text: str) -> object:
        """The value of a configuration's text; what is no such value stays text, which `read` refuses."""
        return text

    def _refusal(self, found: object, reason: str = "") -> InvalidSettingError:
        return InvalidSettingError(f"{self.field} must be {self.range}, but is {found}{reason}.")

    @abstractmethod
    def _range(self) -> str: ...

    @abstractmethod
    def _checked(self, value: object) -> Any: ...


@dataclass(frozen=True)
class WholeNumber(Row):
    """A numeric setting, and the numbers that it may be.

    `rule` is the reason for the bounds, added to the message. `outside` is one number beyond the bounds that is
    valid too, and `outside_means` what it says.
    """

    default: int
    minimum: int
    maximum: int
    rule: str = ""
    outside: int | None = None
    outside_means: str = ""

    def parse(self, text: str) -> object:
        """The number that a text is."""
        return int(text) if re.fullmatch(r"-?\d{1,18}", text, re.ASCII) else text

    def _range(self) -> str:
        also = "" if self.outside is None else f", or {self.outside} {self.outside_means}"
        return f"{self.minimum} to {self.maximum}{also}"

    def _checked(self, value: object) -> int:
        number = whole_number(self.field, value)
        if number != self.outside and not self.minimum <= number <= self.maximum:
            raise self._refusal(number, self.rule and f": {self.rule}")
        return number


@dataclass(frozen=True)
class Choice(Row):
    """A setting that is one of a few words or numbers."""

    values: Sequence[Any]

    def parse(self, text: str) -> object:
        """The word, or the number that a text is."""
        return int(text) if isinstance(self.default, int) and text.isdecimal() else text

    def _range(self) -> str:
        return f"one of {', '.join(map(str, self.values))}"

    def _checked(self, value: object) -> Any:
        if isinstance(self.default, int):
            value = whole_number(self.field, value)
        if not isinstance(value, type(self.default)) or value not in self.values:
            raise self._refusal(repr(value))
        return value


@dataclass(frozen=True)
class Switch(Row):
    """A setting that is on or off; a text like "false" would count as true."""

    default: bool = False

    def parse(self, text: str) -> object:
        """The bool that a text is."""
        return {"true": True, "false": False}.get(text, text)

    def _range(self) -> str:
        return "true or false"

    def _checked(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise self._refusal(f"{value!r} ({type(value).__name__})")
        return value


@dataclass(frozen=True)
class Words(Row):
    """A setting that is a text of some pattern, which `means` tells in words."""

    default: str
    pattern: str
    means: str

    def _range(self) -> str:
        return self.means

    def _checked(self, value: object) -> str:
        if not isinstance(value, str) or not re.fullmatch(self.pattern, value):
            raise self._refusal(repr(value))
        return value


@dataclass(frozen=True)
class ListOf(Row):
    """A setting that is a list of texts, some of which may be outputs of resources; addresses.py checks its items."""

    default: tuple[str, ...]
    means: str

    def parse(self, text: str) -> object:
        """The list that a text in JSON is."""
        try:
            return json.loads(text)
        except ValueError:
            return text

    def _range(self) -> str:
        return self.means

    def _checked(self, value: object) -> Sequence[object]:
        return tuple(require_list(self.field, value))


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
