"""Fields of a command or an event: the values that each accepts, as data, and the sentence for any other."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from outbox.errors import InvalidInputError, describe
from outbox.texts import is_text

_LONGEST_NAME_SHOWN = 40
_UNKNOWN_SHOWN = 3


class Field(Protocol):
    """Anything that accepts a value or says what it would accept; write one of your own where these do not do."""

    def check(self, name: str, value: object) -> None:
        """Raise InvalidInputError, naming the field, its value's type and what is accepted, or do nothing."""


Shape = Mapping[str, Field]
"""The fields of a command, or of one version of an event: exactly these, no more and no less."""


@dataclass(frozen=True)
class Text:
    """Text that a pattern matches as a whole; `accepted` says so in words.

    Raises:
        ValueError: The pattern is no regular expression.
    """

    pattern: str
    accepted: str

    def __post_init__(self) -> None:
        try:
            self._compiled  # noqa: B018 - compiled now, so that a mistake is found when the field is made
        except (re.error, TypeError) as error:
            raise ValueError(f"The pattern {self.pattern!r} is no regular expression: {error}") from error

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern)

    def check(self, name: str, value: object) -> None:
        """Refuse anything but such text, and text that no table or queue would take."""
        if not isinstance(value, str) or not self._compiled.fullmatch(value) or not is_text(value):
            raise InvalidInputError(f"{name} must be {self.accepted}, but is {describe(value)}")


@dataclass(frozen=True)
class WholeNumber:
    """A whole number within bounds, both included.

    Raises:
        ValueError: The bounds are no ints, or leave no number between them.
    """

    lowest: int
    highest: int

    def __post_init__(self) -> None:
        if not type(self.lowest) is type(self.highest) is int or self.lowest > self.highest:
            raise ValueError(
                f"WholeNumber({self.lowest!r}, {self.highest!r}) accepts nothing: give the lowest int, then the highest"
            )

    def check(self, name: str, value: object) -> None:
        """Refuse anything but such a number."""
        # bool is an int to isinstance, and true is not one piece.
        if type(value) is not int or not self.lowest <= value <= self.highest:
            raise InvalidInputError(
                f"{name} must be a whole number from {self.lowest} to {self.highest}, but is {describe(value)}"
            )


def read_fields(value: object, subject: str, fields: Shape) -> dict[str, Any]:
    """The members of an object that has exactly these fields, each of them accepted.

    Raises:
        InvalidInputError: `value` is no such object; begins with the subject or names the field.
    """
    members = exact_members(value, subject, fields)
    for name, field in fields.items():
        field.check(name, members[name])
    return members


def exact_members(value: object, subject: str, names: Collection[str]) -> dict[str, Any]:
    """The members of an object that has exactly these names, whatever their values.

    Raises:
        InvalidInputError: `value` is no object, lacks a name, or has one too many; begins with the subject.
    """
    if not isinstance(value, Mapping):
        raise InvalidInputError(
            f"{subject} must be an object with {', '.join(names)}, but is {describe(value)}"
        )
    missing = [name for name in names if name not in value]
    unknown = [repr(name)[:_LONGEST_NAME_SHOWN] for name in value if name not in names]
    if len(unknown) > _UNKNOWN_SHOWN:
        unknown[_UNKNOWN_SHOWN:] = [f"{len(unknown) - _UNKNOWN_SHOWN} more"]
    if missing or unknown:
        found = " and ".join(
            f"{what} {', '.join(some)}" for what, some in (("lacks", missing), ("also has", unknown)) if some
        )
        raise InvalidInputError(f"{subject} must have exactly the fields {', '.join(names)}, but {found}")
    return dict(value)
