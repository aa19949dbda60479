"""The wheel `transactional_outbox`, built from a copy of the sources and installed where nothing else of them is."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from engine.stack import WITHOUT_CACHES
from tools.repository import PROGRAM_DIRECTORY

PACKAGES = {
    "transactional_outbox": "components",
    "transactional_outbox/handlers": "handlers",
    "transactional_outbox/handlers/outbox": "handlers/outbox",
    "outbox": "handlers/outbox",
    **{
        path.parent.relative_to(PROGRAM_DIRECTORY).as_posix(): path.parent.relative_to(
            PROGRAM_DIRECTORY
        ).as_posix()
        for package in ("outbox_cli", "outbox_local")
        for path in PROGRAM_DIRECTORY.glob(f"{package}/**/__init__.py")
    },
}
"""The folders of the wheel, and of the repository that they are made from."""
LEFT_BY_AN_EARLIER_BUILD = ("gone_since.py", "__init__.py")
"""In the folder of each package: a module that is no more, and an old text whose time is newer than that of the new."""


def built_wheel(folder: Path) -> Path:
    """A wheel from a copy of the repository that was built before: a build leaves folders beside its sources."""
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(PROGRAM_DIRECTORY / name, source)
    for name in ("components", "handlers", "outbox_cli", "outbox_local"):
        shutil.copytree(PROGRAM_DIRECTORY / name, source / name, ignore=WITHOUT_CACHES)
    for package in PACKAGES:
        left = source / "build" / "lib" / package
        left.mkdir(parents=True, exist_ok=True)
        for name in LEFT_BY_AN_EARLIER_BUILD:
            (left / name).write_text("raise AssertionError\n")
    _pip("wheel", str(source), "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder))
    return next(folder.glob("transactional_outbox-*.whl"))


def install(wheel: Path, environment: Path) -> Path:
    """Installs the wheel into a new environment that finds its dependencies where this one has them; its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    python = environment / "bin" / "python"
    _pip("--python", str(python), "install", "--no-deps", str(wheel))
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = environment / "lib" / version / "site-packages"
    # No network here: pulumi and pulumi-aws are borrowed. This repository itself is not on that path.
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib"))
    return python


def _pip(*arguments: str) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "--quiet",
        "--disable-pip-version-check",
        *arguments,
        "--no-index",
    ]
    subprocess.run(command, check=True)
