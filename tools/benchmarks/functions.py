"""The handlers that are compared, loaded into this process as Lambda would load them."""

import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3

from outbox_local.clients import Endpoint
from outbox_local.program import read_stack_config
from tools.repository import PROGRAM_DIRECTORY

BASELINES = PROGRAM_DIRECTORY / "tools" / "benchmarks" / "baselines"
REGION = read_stack_config(PROGRAM_DIRECTORY, "dev", {}).region
TIMEOUT_MS = 10_000


@dataclass(frozen=True)
class Variant:
    """One implementation: where its functions are, and the distributions that they need beside boto3."""

    label: str
    folder: Path
    distributions: tuple[str, ...] = ()

    def load(self, function: str, environment: Mapping[str, str]) -> ModuleType:
        """Imports a function's module anew under the environment that it would have in Lambda.

        Raises:
            FileNotFoundError: this implementation has no such function.
        """
        path = self.folder / f"{function}.py"
        if not path.is_file():
            raise FileNotFoundError(f"{self.label} has no function {function!r} in {self.folder}.")
        spec = importlib.util.spec_from_file_location(f"{self.label}_{function}", path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} cannot be imported.")
        module = importlib.util.module_from_spec(spec)
        with _variables(environment), _importable(self.folder):
            boto3.setup_default_session()  # the one before may have read another environment
            spec.loader.exec_module(module)
        return module


WALKTHROUGH = Variant("walkthrough", BASELINES / "walkthrough")
POWERTOOLS = Variant("powertools", BASELINES / "powertools", ("aws-lambda-powertools", "typing-extensions"))
OURS = Variant("ours", PROGRAM_DIRECTORY / "handlers")


class Context:
    """Context of an invocation, as far as a handler asks for it."""

    function_name = "benchmark"
    memory_limit_in_mb = 256
    invoked_function_arn = "benchmark"
    aws_request_id = "benchmark"

    def get_remaining_time_in_millis(self) -> int:
        """The whole timeout: nothing here is slow."""
        return TIMEOUT_MS


def quietly(handler: Callable[[Any, Any], Any], event: object) -> Any:
    """The handler's answer, without its log lines on our output."""
    with redirect_stdout(StringIO()):
        return handler(event, Context())


def lambda_environment(endpoint: Endpoint) -> dict[str, str]:
    """The variables that every function finds in Lambda, and the endpoint that keeps it off AWS."""
    return {
        **endpoint.environment,
        "AWS_REGION": endpoint.region,
        "AWS_DEFAULT_REGION": endpoint.region,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "NO_PROXY": "127.0.0.1",
    }


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
