"""Errors during a poll: batches already in hand are still delivered."""

from typing import Any, NoReturn

import pytest
from botocore.exceptions import ClientError, ReadTimeoutError

from tests.outbox_local.event_sources.benches import QueueBench
from tests.outbox_local.event_sources.fakes import denied, reported


def lost(*_: Any, **__: Any) -> NoReturn:
    """Any call, whose answer never comes."""
    raise ReadTimeoutError(endpoint_url="any")


def test_queue_window_in_which_a_receive_fails_delivers_what_was_received(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = QueueBench(*map(str, range(15)), batch_size=20, window_seconds=5)
    receive = bench.queue.receive_message
    bench.queue.receive_message = lambda **call: denied() if bench.queue.calls else receive(**call)  # type: ignore[method-assign]  # a fault

    bench.poller.step()

    assert [len(batch) for batch in bench.delivered] == [10]
    assert len(bench.left) == 5
    assert "the window ends early with 10 messages" in caplog.text
    assert "AccessDenied" in caplog.text


def test_queue_first_receive_that_fails_is_an_error() -> None:
    bench = QueueBench("a")
    bench.queue.receive_message = denied  # type: ignore[method-assign]  # a fault

    with pytest.raises(ClientError, match="AccessDenied"):
        bench.poller.step()


def test_queue_part_that_ends_in_an_error_keeps_no_other_part_from_being_delivered() -> None:
    def function(ids: list[str]) -> str:
        if "m0" in ids:
            raise ReadTimeoutError(endpoint_url="lambda")
        return reported()

    bench = QueueBench(*["x" * 1_000_000] * 8, function=function)

    with pytest.raises(ReadTimeoutError):
        bench.poller.step()

    assert [len(batch) for batch in bench.delivered] == [6, 2]
    assert bench.left == ["m0", "m1", "m2", "m3", "m4", "m5"]


@pytest.mark.parametrize(("speed", "invisible_seconds"), [(1, 60), (30, 2)])
def test_queue_message_whose_invocation_loses_its_connection_comes_again_as_a_failed_one(
    speed: float, invisible_seconds: int
) -> None:
    def function(ids: list[str]) -> str:
        raise ReadTimeoutError(endpoint_url="lambda")

    bench = QueueBench("a", function=function, speed=speed)

    with pytest.raises(ReadTimeoutError):
        bench.poller.step()

    assert bench.queue.messages[0].visible_at == bench.clock.now() + invisible_seconds


@pytest.mark.parametrize("error", [denied, lost])
def test_queue_deletion_that_fails_lets_all_of_the_batch_come_again_as_failed_ones(error: Any) -> None:
    bench = QueueBench("a", "b", function=lambda _: reported("m0"), batch_size=2, speed=30)
    bench.queue.delete_message_batch = error  # type: ignore[method-assign]  # a fault

    with pytest.raises((ClientError, ReadTimeoutError)):
        bench.poller.step()

    assert [each.visible_at - bench.clock.now() for each in bench.queue.messages] == [2, 2]


def test_queue_filtered_messages_that_cannot_be_deleted_hold_up_no_delivery(
    caplog: pytest.LogCaptureFixture,
) -> None:
    bench = QueueBench("good", "bad", filters=('{"body": ["good"]}',), reports_failures=False)
    delete = bench.queue.delete_message_batch
    bench.queue.delete_message_batch = lambda **call: delete(**call) if bench.function.events else denied()  # type: ignore[method-assign]  # a fault

    bench.poller.step()

    assert (bench.delivered, bench.left) == ([["m0"]], ["m1"])
    assert "1 filtered messages are not deleted, so they will come again" in caplog.text
