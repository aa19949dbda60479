"""Which arguments a component takes, by its args type: programs that no type checker reads are held to it too."""

import difflib
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, get_args

import pulumi

from .validation import InvalidSettingError

T = TypeVar("T")


def require_arguments(args: object, accepted: type[Any]) -> None:
    """Refuse arguments that the args type does not name, and too few of them.

    A required one that may be `None` may be left out too: the plugin's host leaves out what is null.

    Raises:
        InvalidSettingError: a misspelt argument would be dropped, and what it asks for with it.
    """
    component = accepted.__name__.removesuffix("Args")
    if not isinstance(args, Mapping):
        raise InvalidSettingError(
            f"The arguments of {component} are {args!r}; accepted is a dictionary, empty where all are optional."
        )
    names = accepted.__annotations__
    for name in args:
        if name not in names:
            meant = "".join(
                f"did you mean {near}; " for near in difflib.get_close_matches(str(name), names, n=1)
            )
            raise InvalidSettingError(
                f"{component} has no argument {name}; {meant}accepted are {', '.join(names)}."
            )
    required = [name for name in names if name in accepted.__required_keys__]
    if missing := [each for each in required if args.get(each) is None and not _may_be_none(names[each])]:
        raise InvalidSettingError(
            f"{component} is without {' and '.join(missing)}; accepted is a value for each of {', '.join(required)}."
        )


def checked(given: Any, require: Callable[[Any], T]) -> pulumi.Input[T]:
    """What was given, refused at once if it is known, and when it is if it is or holds the output of a resource."""
    if isinstance(given, tuple):
        given = list(given)  # Pulumi finds outputs in lists alone
    parts = given if isinstance(given, list) else [given]
    if any(isinstance(part, pulumi.Output | Awaitable) for part in parts):
        return pulumi.Output.from_input(given).apply(require)
    return require(given)


def _may_be_none(hint: object) -> bool:
    return type(None) in get_args(hint)
