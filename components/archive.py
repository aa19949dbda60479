"""The code of a function as an archive that depends on its sources' text and on nothing else.

A folder is hashed with whatever lies in it (byte-code, `.DS_Store`, tests), a file with its line endings;
each would show as a change of the function. So the sources are listed, read and normalised here.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pulumi

from .validation import InvalidSettingError

_HERE = Path(__file__).resolve().parent
# Inside the installed package, and beside this folder in the repository.
HANDLERS = next(each for each in (_HERE / "handlers", _HERE.parent / "handlers") if each.is_dir())
LIBRARY = "outbox"


def function_sources(
    modules: Sequence[str], folder: Path | None = None, *, handlers: Path = HANDLERS
) -> dict[str, str]:
    """Sources of a function's archive: path in the archive to text, sorted, with LF line endings.

    Args:
        modules: file names in `handlers` that make up the function; unused when `folder` is given.
        folder: a user's own handlers; every `*.py` directly in it, without tests, takes the modules' place.
        handlers: where the modules and the library package lie.

    Raises:
        InvalidSettingError: a source is missing or no text, or the user's folder has no module, or one named like the
            library.
    """
    own = [handlers / module for module in modules] if folder is None else _user_modules(folder)
    library = sorted((handlers / LIBRARY).glob("*.py"))
    if not library:
        raise InvalidSettingError(
            f"The library {handlers / LIBRARY} has no Python files; restore it from the repository."
        )
    paths = {path.name: path for path in own} | {f"{LIBRARY}/{path.name}": path for path in library}
    return {name: _text(paths[name]) for name in sorted(paths)}


def require_handler(handler: str, sources: Mapping[str, str]) -> str:
    """A handler of the form `module.function` whose module is in the archive.

    Raises:
        InvalidSettingError: Lambda could not find it.
    """
    module, dot, function = handler.rpartition(".")
    if not dot or not function.isidentifier() or f"{module}.py" not in sources:
        modules = ", ".join(name.removesuffix(".py") for name in sources if "/" not in name)
        raise InvalidSettingError(
            f"handler must be module.function with the module one of {modules}, but is {handler!r}."
        )
    return handler


def archive(sources: Mapping[str, str], files: Mapping[str, Path] | None = None) -> pulumi.AssetArchive:
    """The archive of these sources and of files that go in byte for byte.

    Raises:
        InvalidSettingError: a source would take the place of a file's package.
    """
    files = files or {}
    packages = {name.partition("/")[0].removesuffix(".py") for name in files}
    if hidden := sorted(packages.intersection(name.removesuffix(".py") for name in sources)):
        raise InvalidSettingError(
            f"code must not have {hidden[0]}.py, which hides the bundled package {hidden[0]}. Rename the file."
        )
    assets: dict[str, pulumi.Asset | pulumi.Archive] = {
        name: pulumi.StringAsset(text) for name, text in sources.items()
    }
    assets |= {name: pulumi.FileAsset(str(path)) for name, path in files.items()}
    return pulumi.AssetArchive(assets)


def _user_modules(folder: Path) -> list[Path]:
    modules = sorted(path for path in folder.glob("*.py") if path.is_file() and not _is_test(path))
    if not modules:
        raise InvalidSettingError(
            "code must be a folder with Python files (*.py) directly in it, but is "
            f"{str(folder)!r}, here {folder.resolve()}."
        )
    if any(path.stem == LIBRARY for path in modules):
        raise InvalidSettingError(
            f"code must not have {LIBRARY}.py, which the package {LIBRARY} hides. Rename the file."
        )
    return modules


def _is_test(path: Path) -> bool:
    return path.name == "conftest.py" or path.stem.startswith("test_") or path.stem.endswith("_test")


def _text(path: Path) -> str:
    if not path.is_file():
        raise InvalidSettingError(f"The source {path} does not exist; restore it from the repository.")
    try:
        return path.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidSettingError(
            f"{path} must be a Python file in UTF-8, but is not at byte {error.start}. Save it as UTF-8."
        ) from error
