"""The SDK for a function's archive: the packages that `handlers/requirements.txt` pins, as they are installed here.

Lambda's own boto3 changes whenever AWS updates the runtime.
https://docs.aws.amazon.com/lambda/latest/dg/python-package.html#python-package-dependencies
"""

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import Distribution, PackagePath
from pathlib import Path, PurePath
from types import MappingProxyType

from .archive import HANDLERS
from .validation import InvalidSettingError

REQUIREMENTS = HANDLERS / "requirements.txt"

SERVICES = ("dynamodb", "sqs")
"""The services whose models are bundled; botocore knows hundreds."""

# What botocore reads for every service, beside the code: endpoints, partitions, retry rules, certificates.
_SHARED_DATA = (PurePath("botocore/data"), PurePath("boto3/data"))
_CERTIFICATES = PurePath("botocore/cacert.pem")
_PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)


@cache
def pinned_files(search_path: str | None = None) -> Mapping[str, Path]:
    """Files that the pinned packages add to an archive: path in the archive to file, sorted.

    The files are those each package lists as its own, so nothing that lies beside them gets in; only source
    and data that depend on no machine are taken, no byte-code and no record of the installation.

    Args:
        search_path: where packages are installed; None for where this program finds its own.

    Raises:
        InvalidSettingError: a package is missing, of another version than the pinned one, or lists no files; or
            a file is missing.
    """
    files = {
        path.as_posix(): _installed(path, name)
        for name, version in _PIN.findall(REQUIREMENTS.read_text(encoding="utf-8"))
        for path in _files_of(name, version, search_path)
        if _is_needed(path)
    }
    return MappingProxyType(dict(sorted(files.items())))


def _files_of(name: str, version: str, search_path: str | None) -> Sequence[PackagePath]:
    place = sys.path if search_path is None else [search_path]
    found = next(iter(Distribution.discover(name=name, path=place)), None)
    if found is None:
        state = "is not installed"
    elif found.version != version:
        state = f"is installed as {found.version}"
    elif not found.files:
        state = f"{version} is installed without a list of its files"
    else:
        return found.files
    raise InvalidSettingError(
        f"dependencies is 'bundled', so {name} must be {version}, but it {state}. It is the version that "
        "handlers/requirements.txt pins. Install that file with pip into the environment that runs this "
        "program, or set dependencies to 'runtime'."
    )


def _installed(path: PackagePath, package: str) -> Path:
    file = Path(str(path.locate()))
    if not file.is_file():
        raise InvalidSettingError(
            f"dependencies is 'bundled', so {path} of {package} must be installed, but it is missing. Install "
            f"{package} again (pip install --force-reinstall --no-deps -r handlers/requirements.txt), or set "
            "dependencies to 'runtime'."
        )
    return file


def _is_needed(path: PurePath) -> bool:
    if path.is_absolute() or ".." in path.parts:
        return False  # a script, installed outside the packages' folder
    if path.is_relative_to("botocore/data") or path.is_relative_to("boto3/data"):
        return path.parent in _SHARED_DATA or path.parts[2] in SERVICES
    return path.suffix == ".py" or path == _CERTIFICATES
