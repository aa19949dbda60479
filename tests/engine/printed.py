"""Runs lines of a document as they are printed."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.engine.conftest import REGION

PATIENCE_SECONDS = 300
PLACEHOLDERS = {"<your region>": REGION}
PACKAGE_INDEX_VARIABLES = ("PIP_", "SSL_", "HTTP_", "HTTPS_", "NO_", "http_", "https_", "no_")


def run_as_printed(script: str, folder: Path, environment: Mapping[str, str]) -> None:
    """Runs lines of a document in a shell, up to the first that fails, with yes for an answer where they ask."""
    for placeholder, value in PLACEHOLDERS.items():
        script = script.replace(placeholder, value)
    passed_on = {name: os.environ[name] for name in os.environ if name.startswith(PACKAGE_INDEX_VARIABLES)}
    pip = {
        "PIP_CACHE_DIR": str(Path.home() / ".cache" / "pip"),
        "PIP_COMPILE": "0",
    }  # fetched once; as `make setup`
    done = subprocess.run(
        ["sh", "-ex", "-c", script],
        cwd=folder,
        env={
            "LANG": os.environ.get("LANG", "C.UTF-8"),
            "PULUMI_SKIP_CONFIRMATIONS": "true",
            **pip,
            **passed_on,
            **environment,
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    if done.returncode:
        pytest.fail(f"The last of these lines failed:\n{done.stdout}{done.stderr}", pytrace=False)
