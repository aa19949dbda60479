"""What Lambda could not import of a function's code, found in its text: nothing of it is run here."""

import ast
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path

from .validation import InvalidSettingError


def require_importable(path: Path, sources: Mapping[str, str]) -> None:
    """A module of a user's folder, which imports no folder beside it: the sources have none of the user's.

    Raises:
        InvalidSettingError: no Python, or it imports such a folder.
    """
    for node in ast.walk(_parsed(path.name, sources[path.name])):
        if isinstance(node, ast.Import):
            imported = {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported = {node.module.partition(".")[0]}
        else:
            continue
        for name in imported:
            is_there = not sources.keys().isdisjoint((f"{name}.py", f"{name}/__init__.py"))
            if not is_there and any(path.with_name(name).rglob("*.py")):
                raise InvalidSettingError(
                    f"{path.name} of code imports {name}, a folder; accepted are modules directly in {path.parent}, "
                    "for no folder in it is zipped."
                )


def require_bound(handler: str, module: str, text: str) -> None:
    """The function of a handler is defined, assigned or imported in its module.

    Raises:
        InvalidSettingError: each invocation would fail, after a deployment without a word.
    """
    function = handler.rpartition(".")[2]
    if not _bound(_parsed(module, text)).intersection({function, "*"}):
        raise InvalidSettingError(
            f"handler is {handler!r}, and {module} has no {function}; accepted is what it defines, assigns or imports "
            "outside of functions and classes."
        )


def _parsed(name: str, text: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are the user's, who reads them elsewhere
            return ast.parse(text.encode("utf-8"))
    except (SyntaxError, ValueError) as error:  # the latter of a null byte, up to Python 3.11.3
        line = getattr(error, "lineno", None) or 1
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise InvalidSettingError(
            f"{name} of code cannot be imported, line {line}: {getattr(error, 'msg', error)}; accepted is what "
            f"Python {version} can read, which runs this program. For newer syntax, run it with a newer Python."
        ) from error


def _bound(module: ast.Module) -> set[str]:
    """Names at the module's top level, its branches included; `*` if it imports all of another."""
    names: set[str] = set()
    for statement in module.body:
        has_names_of_its_own = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        for node in [statement] if has_names_of_its_own else ast.walk(statement):
            match node:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    names.add(node.name)
                case ast.Name(ctx=ast.Store()):
                    names.add(node.id)
                case ast.alias():
                    names.add(node.asname or node.name.partition(".")[0])
    return names
