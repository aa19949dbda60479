"""The simulated AWS answers, stores and delivers what the emulator and moto do, history by history."""

import time
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
from tests.simulation.polled import VISIBILITY_SECONDS, Polled, Seen, random_polled_history
from tools.simulation.clock import VirtualClock
from tools.soak.system import System, SystemSettings

HISTORIES = range(8)
POLLED_HISTORIES = range(6)


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


def _polled(seed: int) -> Outcome:
    system = System(SystemSettings(receives_most=RECEIVES_MOST))
    system.queue.visibility_seconds = VISIBILITY_SECONDS
    with silence():
        return Polled(simulated(system), system.clock).outcome_of(random_polled_history(seed))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", POLLED_HISTORIES)
def test_pollers_deliver_over_the_simulation_what_they_deliver_over_the_emulator(
    seed: int, emulator: Clients
) -> None:
    aws = created(emulator("dynamodb"), emulator("dynamodbstreams"), emulator("sqs"), f"polled-{seed}")
    emulator("sqs").set_queue_attributes(
        QueueUrl=aws.queue_url, Attributes={"VisibilityTimeout": str(VISIBILITY_SECONDS)}
    )

    with silence():
        outcome = Polled(aws, VirtualClock(time.time())).outcome_of(random_polled_history(seed))

    assert outcome == _polled(seed)


def test_histories_of_pollers_come_to_every_kind_of_end() -> None:
    outcomes = [_polled(seed) for seed in POLLED_HISTORIES]

    seen = [each for outcome in outcomes for each in outcome["seen"] if isinstance(each, Seen)]

    assert {
        ("answered", ""),
        ("answered", "Unhandled"),
        ("discarded", "RetryAttemptsExhausted"),
        ("filtered", ""),
    } == {(each.what, each.reason) for each in seen}
    assert any(outcome["dead letters"] for outcome in outcomes)
