"""Function archives: the same content gives the same archive, whatever lies beside it."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from components.archive import archive, function_sources, require_handler
from components.validation import InvalidSettingError


@pytest.fixture
def handlers(tmp_path: Path) -> Path:
    """A small handlers folder: two modules and the library."""
    folder = tmp_path / "handlers"
    (folder / "outbox").mkdir(parents=True)
    write(folder / "command.py", "import orders\n\n\ndef lambda_handler(event, context): ...\n")
    write(folder / "orders.py", "NAME = 'é'\n")
    write(folder / "outbox" / "__init__.py", "")
    write(folder / "outbox" / "commit.py", "def commit(): ...\n")
    return folder


def write(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def content_hash(handlers: Path) -> str:
    """The hash that decides whether a function shows as changed: names and texts of the archive's assets, in order."""
    assets = archive(function_sources(["command.py", "orders.py"], handlers=handlers)).assets
    digest = hashlib.sha256()
    for name, asset in assets.items():
        digest.update(f"{name}\0{asset.text}\0".encode())  # type: ignore[union-attr] # every asset is a StringAsset
    return digest.hexdigest()


def test_archive_holds_modules_at_its_root_and_the_library_as_a_package(handlers: Path) -> None:
    sources = function_sources(["command.py", "orders.py"], handlers=handlers)

    assert list(sources) == ["command.py", "orders.py", "outbox/__init__.py", "outbox/commit.py"]
    assert sources["orders.py"] == "NAME = 'é'\n"


def test_same_content_gives_the_same_hash_whatever_lies_beside(handlers: Path) -> None:
    before = content_hash(handlers)

    for beside in ("__pycache__", "outbox/__pycache__"):
        (handlers / beside).mkdir()
        write(handlers / beside / "commit.cpython-314.pyc", "byte-code")
    write(handlers / ".DS_Store", "finder")
    write(handlers / "outbox" / ".DS_Store", "finder")
    write(handlers / "test_command.py", "def test_command(): ...\n")
    for source in handlers.rglob("*.py"):
        write(source, source.read_bytes().decode("utf-8").replace("\n", "\r\n"))
        os.utime(source, (0, 0))

    assert content_hash(handlers) == before


def test_hash_does_not_depend_on_where_the_repository_lies(handlers: Path, tmp_path: Path) -> None:
    elsewhere = shutil.copytree(handlers, tmp_path / "another" / "place")

    assert content_hash(elsewhere) == content_hash(handlers)


def test_changed_source_changes_the_hash(handlers: Path) -> None:
    before = content_hash(handlers)

    write(handlers / "outbox" / "commit.py", "def commit(): return None\n")

    assert content_hash(handlers) != before


def test_user_code_takes_the_modules_place_without_its_tests(handlers: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for name in (
        "payments.py",
        "helpers.py",
        "test_payments.py",
        "payments_test.py",
        "conftest.py",
        "notes.txt",
    ):
        write(own / name, "")

    sources = function_sources(["command.py"], own, handlers=handlers)

    assert list(sources) == ["helpers.py", "outbox/__init__.py", "outbox/commit.py", "payments.py"]


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_user_code_without_python_files_is_refused(handlers: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()

    with pytest.raises(
        InvalidSettingError,
        match=f"code must be a folder with Python files .* but is '.*{name}', here /.*{name}",
    ):
        function_sources([], tmp_path / name, handlers=handlers)


def test_user_code_named_like_the_library_is_refused(handlers: Path, tmp_path: Path) -> None:
    write(tmp_path / "outbox.py", "")

    with pytest.raises(InvalidSettingError, match=r"outbox\.py, which the package outbox hides"):
        function_sources([], tmp_path, handlers=handlers)


def test_missing_module_or_library_is_named(handlers: Path) -> None:
    with pytest.raises(InvalidSettingError, match=r"source .*relay\.py does not exist"):
        function_sources(["relay.py"], handlers=handlers)

    shutil.rmtree(handlers / "outbox")
    with pytest.raises(InvalidSettingError, match=r"library .*outbox has no Python files"):
        function_sources(["command.py"], handlers=handlers)


@pytest.mark.parametrize(
    "handler", ["lambda_handler", "relay.lambda_handler", "command.", "command.not-a-name", ""]
)
def test_handler_that_lambda_could_not_import_is_refused(handler: str) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"handler must be .* one of command, orders, but is '{handler}'"
    ):
        require_handler(handler, {"command.py": "", "orders.py": "", "outbox/commit.py": ""})


def test_user_code_may_have_other_folders_a_mark_of_its_order_and_warnings(
    handlers: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    (own / "tests").mkdir(parents=True)
    (own / "json").mkdir()
    (own / "outbox").mkdir()
    write(own / "outbox" / "__init__.py", "")
    write(own / "tests" / "helpers.py", "")
    write(own / "rates.py", "PATTERN = '\\d'\n")
    write(own / "pay.py", "\ufeffimport json\nimport rates\nfrom outbox import commit\nfrom . import tests\n")

    sources = function_sources([], own, handlers=handlers)

    assert {"pay.py", "rates.py"} < sources.keys()


def test_user_code_that_is_not_utf_8_is_named(handlers: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "pay.py").write_bytes("NAME = 'é'\n".encode("latin-1"))

    with pytest.raises(
        InvalidSettingError, match=r"own/pay\.py must be a Python file in UTF-8, but is not at byte 8"
    ):
        function_sources([], own, handlers=handlers)
