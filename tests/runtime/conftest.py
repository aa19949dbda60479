"""The runtime's packages, an AWS for each test, and functions started beside them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.aws import Aws, fake_aws
from tests.runtime.environment import Environment, started
from tests.runtime.functions import RUNTIME, SDK, functions_of, install

# Lambda runs on Linux, and so does its runtime.
collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]

Start = Callable[..., Environment]


@pytest.fixture(scope="session")
def runtime_packages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The runtime's own folder, and that of the SDK."""
    folder = tmp_path_factory.mktemp("runtime")
    return [install(folder / "runtime", RUNTIME), install(folder / "sdk", SDK)]


@pytest.fixture
def aws() -> Iterator[Aws]:
    with fake_aws() as aws:
        yield aws


@pytest.fixture
def start(aws: Aws, runtime_packages: list[Path], tmp_path: Path) -> Iterator[Start]:
    """Start a function of a stack; those of prod bring their own SDK and get no other."""
    with ExitStack() as environments:
        number = iter(range(100))

        def start_function(stack: str, name: str, **options: Any) -> Environment:
            folder = tmp_path / str(next(number))
            folder.mkdir()
            packages = runtime_packages[:1] if stack == "prod" else runtime_packages
            return environments.enter_context(
                started(
                    functions_of(stack)[name], folder, packages=packages, endpoint=aws.endpoint, **options
                )
            )

        yield start_function
