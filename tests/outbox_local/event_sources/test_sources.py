"""Mappings that come, change, and go while the event sources run; real threads, short waits, no fixed timing."""

import threading
import time
from typing import Any

import pytest

from outbox_local.event_sources import EventSources
from tests.outbox_local.event_sources.benches import (
    PATIENCE_SECONDS,
    delivered,
    description,
    eventually,
    poller_threads,
)
from tests.outbox_local.event_sources.fakes import (
    QUEUE_ARN,
    FakeClients,
    FakeClock,
    FakeLambda,
    FakeQueue,
    FakeStreams,
    change,
    reported,
)

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.usefixtures("sources")
def test_sources_mapping_created_later_is_polled(function: FakeLambda) -> None:
    function.mappings = [description()]

    eventually(lambda: delivered(function) == [[1]])


@pytest.mark.usefixtures("sources")
def test_sources_disabled_mapping_goes_on_at_its_place_when_enabled(
    function: FakeLambda, streams: FakeStreams
) -> None:
    function.mappings = [description()]
    eventually(lambda: delivered(function) == [[1]])
    function.mappings = [description(state="Disabled")]
    eventually(lambda: poller_threads() == 0)
    streams.shards["shard-1"].records.append(change(2))

    function.mappings = [description()]

    eventually(lambda: len(function.events) > 1)
    assert delivered(function) == [[1], [2]]


@pytest.mark.usefixtures("sources")
def test_sources_changed_mapping_is_polled_by_its_new_settings(
    function: FakeLambda, streams: FakeStreams
) -> None:
    function.mappings = [description()]
    eventually(lambda: delivered(function) == [[1]])
    function.mappings = [description(BatchSize=2)]
    eventually(lambda: function.pollers_built == 2)
    streams.shards["shard-1"].records += [change(2), change(3), change(4), change(5)]

    eventually(lambda: [5] in [event[-1:] for event in delivered(function)])

    assert [number for event in delivered(function) for number in event] == [1, 2, 3, 4, 5]
    assert [4, 5] in delivered(function)


@pytest.mark.usefixtures("sources")
def test_sources_replaced_mapping_begins_at_its_starting_position(function: FakeLambda) -> None:
    function.mappings = [description("u1")]
    eventually(lambda: delivered(function) == [[1]])

    function.mappings = [description("u2")]

    eventually(lambda: delivered(function) == [[1], [1]])


@pytest.mark.usefixtures("sources")
def test_sources_changed_mapping_waits_for_the_delivery_in_hand(function: FakeLambda) -> None:
    entered, release = threading.Event(), threading.Event()

    def slow(_: Any) -> str:
        entered.set()
        release.wait(PATIENCE_SECONDS)
        return reported()

    function.function = slow
    function.mappings = [description()]
    assert entered.wait(PATIENCE_SECONDS)
    function.mappings = [description(BatchSize=2)]
    listings = function.listings
    eventually(lambda: function.listings > listings + 3)
    built_meanwhile = function.pollers_built

    release.set()

    eventually(lambda: function.pollers_built == 2)
    assert built_meanwhile == 1
    assert delivered(function) == [[1]]


@pytest.mark.usefixtures("sources")
def test_sources_place_of_a_mapping_that_vanished_is_forgotten(function: FakeLambda) -> None:
    function.mappings = [description()]
    eventually(lambda: delivered(function) == [[1]])
    function.mappings = []
    eventually(lambda: poller_threads() == 0)
    listings = function.listings
    eventually(lambda: function.listings > listings + 3)

    function.mappings = [description()]

    eventually(lambda: delivered(function) == [[1], [1]])


@pytest.mark.usefixtures("sources")
def test_sources_queue_mapping_runs_as_many_pollers_as_its_maximum_concurrency(function: FakeLambda) -> None:
    function.mappings = [description(arn=QUEUE_ARN, ScalingConfig={"MaximumConcurrency": 3})]

    eventually(lambda: poller_threads() == 3)


def test_sources_queue_mapping_never_invokes_beyond_its_maximum_concurrency(streams: FakeStreams) -> None:
    running: list[int] = []
    most: list[int] = []
    lock = threading.Lock()

    def function(_: list[dict[str, Any]]) -> str:
        with lock:
            running.append(1)
            most.append(len(running))
        time.sleep(0.005)
        with lock:
            running.pop()
        return reported()

    lambda_ = FakeLambda(function)
    lambda_.mappings = [description(arn=QUEUE_ARN, ScalingConfig={"MaximumConcurrency": 2})]
    clients = FakeClients(lambda_=lambda_, dynamodbstreams=streams, sqs=FakeQueue(None, *map(str, range(30))))

    with EventSources(clients):
        eventually(lambda: len(lambda_.events) >= 30)

    assert max(most) == 2


@pytest.mark.usefixtures("sources")
def test_sources_latest_goes_on_at_its_beginning_when_enabled_again(
    function: FakeLambda, streams: FakeStreams
) -> None:
    streams.shards["shard-1"].records = [change(1, age_seconds=60)]
    function.mappings = [description(StartingPosition="LATEST")]
    eventually(lambda: streams.reads > 3)
    function.mappings = [description(StartingPosition="LATEST", State="Disabled")]
    eventually(lambda: poller_threads() == 0)
    streams.shards["shard-1"].records.append(change(2))

    function.mappings = [description(StartingPosition="LATEST")]

    eventually(lambda: delivered(function) == [[2]])


@pytest.mark.usefixtures("sources")
def test_sources_error_of_a_poller_is_logged_with_its_mapping_and_tried_again(
    function: FakeLambda,
    streams: FakeStreams,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(**_: Any) -> Any:
        raise ConnectionError("stream is away")

    with monkeypatch.context() as patch:
        patch.setattr(streams, "describe_stream", broken)
        function.mappings = [description()]
        eventually(lambda: "event source mapping u1 failed" in caplog.text)

    eventually(lambda: delivered(function) == [[1]])
    assert "stream is away" in caplog.text


def test_sources_stop_ends_every_thread(function: FakeLambda, streams: FakeStreams) -> None:
    function.mappings = [description("u1"), description("u2", arn=QUEUE_ARN)]
    sources = EventSources(FakeClients(lambda_=function, dynamodbstreams=streams, sqs=FakeQueue(None)))
    sources.start()
    eventually(lambda: poller_threads() == 6)

    sources.stop()

    assert poller_threads() == 0


def test_sources_stop_names_the_mapping_that_is_still_delivering(
    function: FakeLambda, streams: FakeStreams
) -> None:
    release = threading.Event()
    entered = threading.Event()

    def slow(_: Any) -> str:
        entered.set()
        release.wait(PATIENCE_SECONDS)
        return reported()

    function.function = slow
    function.mappings = [description("u1")]
    sources = EventSources(FakeClients(lambda_=function, dynamodbstreams=streams), now=FakeClock().now)
    sources.start()
    assert entered.wait(PATIENCE_SECONDS)

    with pytest.raises(TimeoutError, match=r"still at work after 0\.05 s: u1"):
        sources.stop(timeout_seconds=0.05)

    release.set()
    sources.stop()


@pytest.mark.parametrize("speed", [0, -1, float("nan")])
def test_sources_speed_that_is_not_positive_is_refused(speed: float) -> None:
    with pytest.raises(ValueError, match="give a number above 0"):
        EventSources(FakeClients(), speed=speed)
