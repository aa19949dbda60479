"""Event sources that run in threads of their own, with short waits; examples that no clock judges."""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from outbox_local.event_sources import EventSources, worker
from tests.outbox_local.event_sources.fakes import (
    FakeClients,
    FakeClock,
    FakeLambda,
    FakeQueue,
    FakeStreams,
    change,
    reported,
)

# Both are judged by the clock, and a busy machine is no failure.
settings.register_profile("any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-machine")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("outbox_local.event_sources.sources.WATCH_SECONDS", 0.005)
    monkeypatch.setattr(worker, "STREAM_POLL_SECONDS_LEAST", 0.005)
    monkeypatch.setattr(worker, "STREAM_POLL_SECONDS", 0.005)
    monkeypatch.setattr(worker, "ERROR_PAUSE_SECONDS", 0.005)


@pytest.fixture
def function() -> FakeLambda:
    return FakeLambda(lambda _: reported())


@pytest.fixture
def streams() -> FakeStreams:
    return FakeStreams(change(1))


@pytest.fixture
def sources(quick: None, function: FakeLambda, streams: FakeStreams) -> Iterator[EventSources]:
    clients = FakeClients(lambda_=function, dynamodbstreams=streams, sqs=FakeQueue(None))
    with EventSources(clients, now=FakeClock().now) as running:
        yield running
