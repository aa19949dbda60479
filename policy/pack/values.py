"""Property values as plain Python, with a mark for what is not known yet.

The analyzer hands over wrappers that are mappings and sequences but no `dict` and `list`, and that raise as
soon as an unknown value is touched. One touch would end a rule half-way and leave every resource after it unjudged, so
values are unwrapped here, once, and the rules see `UNKNOWN` instead.
"""

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pulumi_policy.proxy import UnknownValueError


class Unknown(enum.Enum):
    """The type of `UNKNOWN`."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
"""Stands for a value that only the update will tell."""


def plain(value: Any) -> Any:
    """A wrapped value as dicts, lists and scalars, with `UNKNOWN` where it is not known."""
    if value is None or isinstance(value, str | int | float):  # most are; the questions below cost more
        return value
    if isinstance(value, Mapping):
        return {key: _read(value, key) for key in value}
    if isinstance(value, Sequence):
        return [_read(value, index) for index in range(len(value))]
    return value


def _read(holder: Any, key: str | int) -> Any:
    try:
        value = holder[key]
    except UnknownValueError:
        return UNKNOWN
    return plain(value)


def has_unknown(value: Any) -> bool:
    """Whether a plain value is unknown, or holds something that is."""
    if isinstance(value, dict):
        return any(map(has_unknown, value.values()))
    if isinstance(value, list):
        return any(map(has_unknown, value))
    return value is UNKNOWN


def as_list(value: Any) -> list[Any]:
    """A list of what is written as one value or as a list; nothing is an empty one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
