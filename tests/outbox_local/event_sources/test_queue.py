"""A queue mapping from its messages to the function, by the fake clock."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.outbox_local.event_sources.benches import QueueBench
from tests.outbox_local.event_sources.fakes import (
    ROLE_ARN,
    FakeQueue,
    Throttled,
    denied,
    reported,
)


@pytest.mark.parametrize(
    ("bodies", "settings", "delivered", "left"),
    [
        pytest.param("ab", {}, ["m0", "m1"], [], id="success"),
        pytest.param("abc", {"batch_size": 2}, ["m0", "m1"], ["m2"], id="batch size"),
        pytest.param(
            "ab",
            {"function": lambda _: reported("m0", "elsewhere")},
            ["m0", "m1"],
            ["m0", "m1"],
            id="unknown identifier",
        ),
        pytest.param(
            "ab",
            {"function": lambda _: reported("m0"), "reports_failures": False},
            ["m0", "m1"],
            [],
            id="not reporting",
        ),
        pytest.param(
            ["hello", '{"hello": 1}'],
            {"filters": ('{"body": ["hello"]}',)},
            ["m0"],
            [],
            id="filter of a text",
        ),
        pytest.param(
            "x" * 25,
            {"batch_size": 25, "window_seconds": 1},
            [f"m{each}" for each in range(25)],
            [],
            id="more than a call takes",
        ),
    ],
)
def test_queue_delivers_one_batch_and_deletes_what_succeeded(
    bodies: Sequence[str], settings: dict[str, Any], delivered: list[str], left: list[str]
) -> None:
    bench = QueueBench(*bodies, **settings)

    bench.poller.step()

    assert (bench.delivered, bench.left) == ([delivered], left)


def test_queue_is_read_with_the_functions_role_and_invoked_by_the_operator() -> None:
    bench = QueueBench("a")

    bench.poller.step()

    assert ("sqs", ROLE_ARN) in bench.clients.asked
    assert ("lambda", None) in bench.clients.asked
    assert ("lambda", ROLE_ARN) not in bench.clients.asked


def test_queue_mapping_does_not_start_without_the_right_to_its_attributes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(FakeQueue, "get_queue_attributes", denied)

    with pytest.raises(ClientError, match="AccessDenied"):
        QueueBench("a")


@pytest.mark.parametrize(("speed", "seconds"), [(1, 60), (60, 1)])
def test_queue_refused_deletion_leaves_the_message_for_its_visibility_timeout_by_the_speed(
    monkeypatch: pytest.MonkeyPatch, speed: float, seconds: int
) -> None:
    bench = QueueBench("a", speed=speed)
    monkeypatch.setattr(FakeQueue, "delete_message_batch", denied)

    with pytest.raises(ClientError, match="AccessDenied"):
        bench.poller.step()

    [message] = bench.queue.messages
    assert message.visible_at == bench.clock.time + seconds


def test_queue_reported_message_alone_stays_until_its_visibility_timeout() -> None:
    answers = iter([reported("m1"), reported()])
    bench = QueueBench("a", "b", "c", function=lambda _: next(answers))

    bench.poller.step()
    found = bench.poller.step()
    bench.clock.time += 60
    bench.poller.step()

    assert found is False
    assert bench.delivered == [["m0", "m1", "m2"], ["m1"]]
    assert bench.left == []


def test_queue_function_error_leaves_every_message() -> None:
    def function(_: list[str]) -> str:
        raise ArithmeticError

    bench = QueueBench("a", "b", function=function)

    bench.poller.step()

    assert bench.left == ["m0", "m1"]
    assert [(each.what, each.failed, each.reason) for each in bench.seen] == [("answered", 2, "Unhandled")]


def test_queue_throttled_delivery_counts_as_a_receive() -> None:
    def function(_: list[str]) -> str:
        raise Throttled

    bench = QueueBench("a", function=function)

    bench.poller.step()

    assert bench.left == ["m0"]
    assert bench.queue.messages[0].receives == 1
    assert [(each.what, each.reason) for each in bench.seen] == [("not invoked", "TooManyRequestsException")]


@pytest.mark.parametrize(
    ("count", "settings", "delivered", "seconds"),
    [
        pytest.param(25, {"batch_size": 20, "window_seconds": 5}, 20, 0, id="more than one receive"),
        pytest.param(2, {"batch_size": 20, "window_seconds": 5}, 2, 5, id="end without a full batch"),
        pytest.param(2, {"batch_size": 20, "window_seconds": 50, "speed": 10}, 2, 5, id="by the speed"),
        pytest.param(1, {"batch_size": 10}, 1, 0, id="no window"),
    ],
)
def test_queue_window_collects_a_batch_until_it_is_full_or_the_window_ends(
    count: int, settings: dict[str, Any], delivered: int, seconds: float
) -> None:
    bench = QueueBench(*map(str, range(count)), **settings)
    started = bench.clock.time

    bench.poller.step()

    assert [len(batch) for batch in bench.delivered] == [delivered]
    assert bench.clock.time - started == pytest.approx(seconds)


def test_queue_window_ends_at_the_stop_and_delivers_what_is_in_hand() -> None:
    bench = QueueBench("a", batch_size=20, window_seconds=300)
    bench.clock.is_stopped = True

    bench.poller.step()

    assert bench.delivered == [["m0"]]


def test_queue_batch_beyond_the_payload_limit_is_delivered_in_parts() -> None:
    bench = QueueBench(*["x" * 1_000_000] * 8)

    bench.poller.step()

    assert [len(batch) for batch in bench.delivered] == [6, 2]
    assert bench.left == []


@pytest.mark.parametrize(
    ("deployed", "speed", "expected"),
    [(60, 1, 60), (60, 10, 6), (60, 7, 9), (60, 1000, 1), (0, 10, 0), (60, 0.5, 120)],
)
def test_queue_speed_divides_the_time_a_failed_message_stays_invisible(
    deployed: int, speed: float, expected: int
) -> None:
    bench = QueueBench("a", function=lambda ids: reported(*ids), speed=speed, visibility_seconds=deployed)

    bench.poller.step()

    assert bench.queue.messages[0].visible_at - bench.clock.time == expected


def test_queue_message_in_process_is_invisible_as_long_as_deployed_at_any_speed() -> None:
    invisible: list[float] = []

    def function(ids: list[str]) -> str:
        invisible.append(bench.queue.messages[0].visible_at - bench.clock.time)
        return reported(*ids)

    bench = QueueBench("a", function=function, speed=30)

    bench.poller.step()

    assert invisible == [60]


def test_queue_filter_deletes_what_it_does_not_let_through() -> None:
    pattern = '{"body": {"type": ["OrderCreated"]}}'
    bodies = [json.dumps({"type": "OrderCreated"}), json.dumps({"type": "Other"}), "plain text"]
    bench = QueueBench(*bodies, filters=(pattern,))

    bench.poller.step()

    assert (bench.delivered, bench.left) == ([["m0"]], [])
    assert bench.function.events[0][0]["body"] == bodies[0]


def test_queue_failed_deletion_is_logged_with_its_message(caplog: pytest.LogCaptureFixture) -> None:
    bench = QueueBench("a", "b")
    bench.queue.delete_message_batch = lambda **_: {"Failed": [{"Id": "1", "Code": "InternalError"}]}  # type: ignore[method-assign]  # a fault

    bench.poller.step()

    assert "message m1 was processed but not deleted (InternalError)" in caplog.text


def test_queue_empty_receive_waits_for_messages_and_delivers_nothing() -> None:
    bench = QueueBench()

    busy = bench.poller.step()

    assert (busy, bench.delivered) == (False, [])
    assert bench.queue.calls[0]["WaitTimeSeconds"] == 1
