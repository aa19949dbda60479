"""Event sources that run in threads of their own, with short waits."""

from collections.abc import Iterator

import pytest

from local.event_sources import EventSources, worker
from tests.local.event_sources.fakes import FakeClients, FakeClock, FakeLambda, FakeStreams, change, reported
from tests.local.event_sources.sources_bench import PatientQueue


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("local.event_sources.sources.WATCH_SECONDS", 0.005)
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
    clients = FakeClients(lambda_=function, dynamodbstreams=streams, sqs=PatientQueue())
    with EventSources(clients, now=FakeClock().now) as running:
        yield running
