"""Bugs put into the running modules for a while, as edits of their sources."""

import contextlib
import importlib
import inspect
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple


class SeededBug(NamedTuple):
    """An edit of one module: `old`, which occurs once in its source, becomes `new`."""

    name: str
    module: str
    old: str
    new: str


def bugs(edits: Mapping[str, Sequence[tuple[str, str, str]]]) -> tuple[SeededBug, ...]:
    """Bugs by the module that they are put into, each as its name, the old text and the new one."""
    return tuple(
        SeededBug(name, module, old, new) for module, rows in edits.items() for name, old, new in rows
    )


@contextlib.contextmanager
def seeded(bug: SeededBug) -> Iterator[None]:
    """Run the block with the bug in the module: every function of it gets the code of the edited source.

    Raises:
        AssertionError: The text to edit is not there exactly once, so the bug has to be written anew.
    """
    module = importlib.import_module(bug.module)
    source = inspect.getsource(module)
    assert source.count(bug.old) == 1, (
        f"{bug.name}: {bug.old!r} occurs {source.count(bug.old)} times in {bug.module}"
    )
    edited: dict[str, Any] = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(source.replace(bug.old, bug.new), f"<{bug.name}>", "exec"), edited)  # noqa: S102 - our own source
    functions = dict(_functions(vars(module), module.__name__))
    originals = {name: function.__code__ for name, function in functions.items()}
    constants = {name: value for name, value in vars(module).items() if isinstance(value, frozenset)}
    try:
        for name, function in _functions(edited, module.__name__):
            functions[name].__code__ = function.__code__
        vars(module).update({name: edited[name] for name in constants})
        yield
    finally:
        for name, code in originals.items():
            functions[name].__code__ = code
        vars(module).update(constants)


def _functions(namespace: dict[str, Any], module_name: str) -> Iterator[tuple[str, types.FunctionType]]:
    for name, value in list(namespace.items()):
        if getattr(value, "__module__", None) != module_name:
            continue
        if isinstance(value, types.FunctionType):
            yield name, value
        elif isinstance(value, type):
            for member_name, member in vars(value).items():
                function = getattr(member, "__func__", member)
                # What dataclass generates has no source here and stays.
                if isinstance(function, types.FunctionType) and function.__code__.co_filename != "<string>":
                    yield f"{name}.{member_name}", function
