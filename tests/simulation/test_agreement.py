"""The simulated AWS answers and stores what the emulator and moto do, history by history."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port, start_emulator
from tests.simulation.histories import (
    RECEIVES_MOST,
    REGION,
    Outcome,
    created,
    outcome_of,
    random_history,
    silence,
    simulated,
)
from tools.soak.system import System, SystemSettings

HISTORIES = range(8)


@pytest.fixture(scope="module")
def emulator() -> Iterator[Clients]:
    with start_emulator(reserve_port(0), REGION) as running:
        yield Clients(running)


@pytest.fixture(scope="module")
def moto() -> Iterator[Any]:
    with mock_aws():
        yield boto3.Session("test", "test", region_name=REGION).client


def _simulated(seed: int) -> Outcome:
    system = System(SystemSettings(receives_most=RECEIVES_MOST))
    with silence():
        return outcome_of(simulated(system), random_history(seed))


@pytest.mark.parametrize("seed", HISTORIES)
def test_simulation_agrees_with_moto(seed: int, moto: Any) -> None:
    aws = created(moto("dynamodb"), moto("dynamodbstreams"), moto("sqs"), f"history-{seed}")

    with silence():
        outcome = outcome_of(aws, random_history(seed))

    assert outcome == _simulated(seed)


@pytest.mark.parametrize("seed", HISTORIES)
def test_simulation_agrees_with_the_emulator(seed: int, emulator: Clients) -> None:
    aws = created(emulator("dynamodb"), emulator("dynamodbstreams"), emulator("sqs"), f"history-{seed}")

    with silence():
        outcome = outcome_of(aws, random_history(seed))

    assert outcome == _simulated(seed)
