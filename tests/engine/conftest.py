"""A local AWS and a stack for each test; the engine is found, or built, once."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.build import EngineMissingError, engine_folders
from engine.stack import copy_program, engine_environment, search_path
from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port, start_emulator
from tests.engine.harness import Stack

REGION = "eu-central-1"  # not the walkthrough's: a region written down anywhere would show

MakeStack = Callable[..., Stack]


@pytest.fixture(scope="session")
def engine_path() -> list[Path]:
    """The folders with the engine and its plugins."""
    try:
        return search_path(engine_folders())
    except EngineMissingError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def clients() -> Iterator[Clients]:
    with start_emulator(reserve_port(0), REGION) as emulator:
        yield Clients(emulator)


@pytest.fixture
def environment(engine_path: list[Path], tmp_path: Path, clients: Clients) -> dict[str, str]:
    return engine_environment(engine_path, tmp_path, clients)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the root program, which a test may change."""
    return copy_program(tmp_path / "program", "policy")


@pytest.fixture
def dev(program: Path, environment: dict[str, str]) -> Stack:
    """The dev stack, not deployed yet."""
    return Stack("dev", program, environment).init(region=REGION)


@pytest.fixture
def prod(program: Path, environment: dict[str, str]) -> Stack:
    """The prod stack, not deployed yet."""
    return Stack("prod", program, environment).init(region=REGION)
