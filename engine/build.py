"""Finds a Pulumi CLI that the engine tests can use, or builds its parts from Go modules into a cache folder.

`engine/pulumi` and `engine/yaml` are the modules: what is built is pinned there, by version and by hash.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

MODULES = Path(__file__).resolve().parent
SUPPORTED_MAJOR = 3
OLDEST_SUPPORTED_MINOR = 272  # the version of the SDK in requirements.txt
LANGUAGE_HOSTS = ("pulumi-language-python", "pulumi-language-yaml")
OUTPUT_LINES_SHOWN = 15
SOURCE_SUFFIXES = frozenset({".go", ".mod", ".sum"})


class EngineMissingError(Exception):
    """Raised when there is no engine and none can be built; the message says in one sentence what to install."""


@dataclass(frozen=True)
class GoTool:
    """A program that a Go module of ours pins; its version comes from the module that it is made of."""

    executable: str
    folder: str
    package: str
    version_module: str
    version_variable: str


TOOLS = (
    GoTool(
        executable="pulumi",
        folder="pulumi",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        version_module="github.com/pulumi/pulumi/pkg/v3",
        version_variable="github.com/pulumi/pulumi/sdk/v3/go/common/version.Version",
    ),
    GoTool(
        executable="pulumi-language-yaml",
        folder="yaml",
        package=".",
        version_module="github.com/pulumi/pulumi-yaml",
        version_variable="github.com/pulumi/pulumi-yaml/pkg/version.Version",
    ),
)


def engine_folders(*, build: bool = True) -> list[Path]:
    """The folders to put on PATH for `pulumi` and its YAML host, and its Python host where it has one.

    Args:
        build: whether to build what is missing, which takes some minutes.

    Raises:
        EngineMissingError: no supported CLI is on PATH, and none can be built, or none was and none should be.
    """
    installed = shutil.which("pulumi")
    if installed and _is_supported(installed):
        return [Path(installed).resolve().parent]
    return [_built(tool, build=build) for tool in TOOLS]


def _is_supported(pulumi: str) -> bool:
    """Whether it is new enough and complete, as every released CLI is."""
    answer = subprocess.run([pulumi, "version"], capture_output=True, text=True, check=False).stdout
    version = re.match(r"v(\d+)\.(\d+)\.", answer)
    if version is None:
        return False
    major, minor = map(int, version.groups())
    folder = Path(pulumi).resolve().parent
    complete = all((folder / host).exists() for host in LANGUAGE_HOSTS)
    return major == SUPPORTED_MAJOR and minor >= OLDEST_SUPPORTED_MINOR and complete


def _built(tool: GoTool, *, build: bool) -> Path:
    """The folder with the tool in it; the module's own files say whether the cached one is still right."""
    module = MODULES / tool.folder
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "transactional-outbox")
    folder = cache / f"engine-{tool.folder}-{pins_of(module)}"
    if not (folder / tool.executable).exists():
        if not build:
            raise EngineMissingError(
                "There is no engine: no supported Pulumi CLI is on PATH, and none was built yet "
                "(`make test-engine` builds it)."
            )
        _build(tool, module, folder)
    return folder


def pins_of(module: Path) -> str:
    """Digest of a Go module's sources, in sixteen digits; other files of its folder do not count."""
    sources = sorted(path for path in module.iterdir() if path.suffix in SOURCE_SUFFIXES)
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]


def _build(tool: GoTool, module: Path, folder: Path) -> None:
    go = shutil.which("go")
    if go is None:
        raise EngineMissingError(
            f"The engine tests need a Pulumi CLI {SUPPORTED_MAJOR}.{OLDEST_SUPPORTED_MINOR} or newer on PATH "
            "(https://www.pulumi.com/docs/install), or Go on PATH to build it (https://go.dev/dl)."
        )
    version = _run(go, "list", "-m", "-f", "{{.Version}}", tool.version_module, module=module).strip()
    sys.stderr.write(f"Building {tool.executable} {version} into {folder} (once, some minutes) ...\n")
    folder.mkdir(parents=True, exist_ok=True)
    # Under another name until it is whole: a build that was interrupted must not be taken for a finished one.
    draft = folder / f"{tool.executable}.{os.getpid()}"
    # No symbols: half the size, and nobody debugs it here. No stamp of this repository's state: it is not its own.
    linker_flags = f"-s -w -X {tool.version_variable}={version}"
    _run(
        go,
        "build",
        "-buildvcs=false",
        "-ldflags",
        linker_flags,
        "-o",
        str(draft),
        tool.package,
        module=module,
    )
    draft.replace(folder / tool.executable)


def _run(*command: str, module: Path) -> str:
    answer = subprocess.run(command, cwd=module, capture_output=True, text=True, check=False)
    if answer.returncode:
        last_lines = "\n".join(answer.stderr.splitlines()[-OUTPUT_LINES_SHOWN:])
        raise EngineMissingError(
            f"The engine could not be built: `go {command[1]}` in {module} failed. Its last lines:\n{last_lines}"
        )
    return answer.stdout


if __name__ == "__main__":
    try:
        found = shutil.which("pulumi", path=str(engine_folders()[0]))
    except EngineMissingError as error:
        sys.exit(str(error))
    sys.stdout.write(f"The engine is {found}; `python -m engine up FOLDER` runs a program with it.\n")
