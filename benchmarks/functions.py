"""The handlers that are compared, loaded into this process as Lambda would load them."""

import importlib.util
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[1]
REMAINING_MS = 10_000


@dataclass(frozen=True)
class Variant:
    """One implementation: where its functions are."""

    label: str
    folder: Path

    def load(self, function: str, environment: Mapping[str, str]) -> ModuleType:
        """Imports a function's module anew under the environment that it would have in Lambda."""
        spec = importlib.util.spec_from_file_location(
            f"{self.folder.name}_{function}", self.folder / f"{function}.py"
        )
        if spec is None or spec.loader is None:
            raise FileNotFoundError(f"{self.label} has no function {function!r} in {self.folder}.")
        module = importlib.util.module_from_spec(spec)
        with _variables(environment), _importable(self.folder):
            spec.loader.exec_module(module)
        return module


WALKTHROUGH = Variant("walkthrough", ROOT / "benchmarks/baselines/walkthrough")
POWERTOOLS = Variant("powertools", ROOT / "benchmarks/baselines/powertools")
OURS = Variant("ours", ROOT / "handlers")


class Context:
    """What a handler asks of its context."""

    function_name = "benchmark"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:eu-central-1:000000000000:function:benchmark"
    aws_request_id = "benchmark"

    def get_remaining_time_in_millis(self) -> int:
        """The whole timeout: nothing here is slow."""
        return REMAINING_MS


def quietly(handler: Any, event: object) -> Any:
    """The handler's answer, without its log lines on our output."""
    with redirect_stdout(StringIO()):
        return handler(event, Context())


@contextmanager
def _variables(environment: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
