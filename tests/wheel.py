"""The wheel `transactional_outbox`, built from a copy of the sources and installed where nothing else of them is."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from local.engine.stack import WITHOUT_CACHES
from local.paths import PROGRAM_DIRECTORY


def built_wheel(folder: Path) -> Path:
    """A wheel from a copy of the repository: a build leaves folders beside its sources."""
    source = folder / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(PROGRAM_DIRECTORY / name, source)
    for name in ("components", "handlers"):
        shutil.copytree(PROGRAM_DIRECTORY / name, source / name, ignore=WITHOUT_CACHES)
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
