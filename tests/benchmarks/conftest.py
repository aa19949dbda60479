"""One emulator, and each case measured once."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from benchmarks import units
from benchmarks.pipeline import CASES
from benchmarks.units import Measured
from local.clients import Clients
from local.emulator import reserve_port, start_emulator

REGION = "eu-central-1"  # not the walkthrough's: a region written down anywhere would show


@pytest.fixture(scope="session")
def local_aws() -> Iterator[Clients]:
    with start_emulator(reserve_port(0), REGION) as emulator:
        yield Clients(emulator.endpoint_url, emulator.region)


@pytest.fixture(scope="session")
def measured(local_aws: Clients) -> Callable[[str], Measured]:
    return cache(lambda case: units.measure(CASES[case], local_aws))
