"""The root program with a stack file's configuration, as the engine would hand it over."""

import json
import runpy
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml

from components.arguments import settings_of
from components.settings import COMPONENTS, Settings
from tests.unit.aws_mocks import AwsMocks
from tests.unit.recording import PROJECT, Recording, run

ROOT = Path(__file__).resolve().parents[2]


def stack_config(stack: str, directory: Path = ROOT) -> dict[str, str]:
    """A stack file's configuration; every value is text by the time a program sees it."""
    document = yaml.safe_load((directory / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8"))
    return {key: as_text(value) for key, value in document["config"].items()}


def as_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def run_root(
    stack: str = "dev",
    mocks: AwsMocks | None = None,
    *,
    changes: Mapping[str, str] | None = None,
    directory: Path = ROOT,
) -> Recording:
    """Run `__main__.py` of a folder as Pulumi does, with keys of the stack's configuration changed.

    A run with the usual mocks is made once: nobody changes a recording.
    """
    given = tuple(sorted((changes or {}).items()))
    return _run_once(stack, given, directory) if mocks is None else _run(stack, given, directory, mocks)


def _run(
    stack: str, changes: tuple[tuple[str, str], ...], directory: Path, mocks: AwsMocks | None = None
) -> Recording:
    config = stack_config(stack, directory) | {f"{PROJECT}:{key}": value for key, value in changes}
    return run(lambda: runpy.run_path(str(directory)), mocks, config=config, stack=stack)


_run_once = cache(_run)


def values_of(settings: Settings) -> dict[str, dict[str, object]]:
    """Settings of each component, by their names."""
    return {
        name: {field: row.read(args) for field, row in settings_of(args_type).items()}
        for name, (args_type, _) in COMPONENTS.items()
        if (args := getattr(settings, name)) is not None
    }
