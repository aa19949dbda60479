"""Arguments of a component, by its args type: programs that no type checker reads are held to it too."""

import difflib
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar, get_args

import pulumi

from .limits import ROWS
from .own_code import require_own_code
from .validation import InvalidSettingError, Row

T = TypeVar("T")


def settings_of(args_type: type[Any]) -> dict[str, Row]:
    """The rows of the settings that an args type takes; its other arguments are what other resources give."""
    return {name: ROWS[name] for name in args_type.__annotations__ if name in ROWS}


def require_settings(args: object, args_type: type[Any]) -> None:
    """Refuse arguments that the args type does not name, and settings out of their range.

    Raises:
        InvalidSettingError: a misspelt argument would be dropped, and what it asks for with it.
    """
    component = args_type.__name__.removesuffix("Args")
    if not isinstance(args, Mapping):
        raise InvalidSettingError(
            f"The arguments of {component} must be a dictionary, empty where all are optional, but are {args!r}."
        )
    names = args_type.__annotations__
    for name in args:
        if name not in names:
            meant = "".join(
                f" Did you mean {near}?" for near in difflib.get_close_matches(str(name), names, n=1)
            )
            raise InvalidSettingError(
                f"{component} has no argument {name}.{meant} It takes {', '.join(names)}."
            )
    for row in settings_of(args_type).values():
        row.read(args)
    require_own_code(args)


def require_arguments(args: Mapping[str, object], args_type: type[Any]) -> None:
    """Refuse too few arguments.

    A required one that may be `None` may be left out too: the plugin's host leaves out what is null.

    Raises:
        InvalidSettingError: one is missing.
    """
    component, names = args_type.__name__.removesuffix("Args"), args_type.__annotations__
    required = [name for name in names if name in args_type.__required_keys__]
    if missing := [each for each in required if args.get(each) is None and not _may_be_none(names[each])]:
        raise InvalidSettingError(
            f"{component} must be given {' and '.join(missing)}; it needs {', '.join(required)}."
        )


def outputs_of(component: pulumi.ComponentResource) -> dict[str, Any]:
    """The outputs that a component's class annotates, to be registered."""
    return {name: getattr(component, name) for name in inspect.get_annotations(type(component))}


def checked(given: Any, require: Callable[[Any], T]) -> pulumi.Input[T]:
    """Check a value at once if it is known; else, as or with the output of a resource, as soon as it is."""
    if isinstance(given, tuple):
        given = list(given)  # Pulumi finds outputs in lists alone
    parts = given if isinstance(given, list) else [given]
    if any(isinstance(part, pulumi.Output | Awaitable) for part in parts):
        return pulumi.Output.from_input(given).apply(require)
    return require(given)


def _may_be_none(hint: object) -> bool:
    return type(None) in get_args(hint)
