"""Receive counts and dead letters: the queue's own rules, met through the poller of a mapping."""

from typing import Any

import pytest

from tests.outbox_local.event_sources.benches import QueueBench
from tests.outbox_local.event_sources.fakes import Throttled, reported


def run(bench: QueueBench, rounds: int) -> list[list[str]]:
    """So many deliveries of what is visible, with the visibility timeout between them; the receive counts."""
    for _ in range(rounds):
        bench.poller.step()
        bench.clock.wait(61)
    return [
        [record["attributes"]["ApproximateReceiveCount"] for record in event]
        for event in bench.function.events
    ]


def fails(_: list[str]) -> Any:
    raise ArithmeticError


def throttled(_: list[str]) -> Any:
    raise Throttled


def test_queue_every_receive_counts_whatever_becomes_of_it() -> None:
    bench = QueueBench("a", function=fails)

    counts = run(bench, rounds=3)

    assert counts == [["1"], ["2"], ["3"]]


@pytest.mark.parametrize(
    ("function", "dead"),
    [
        pytest.param(fails, ["bad", "good"], id="errors of the function"),
        pytest.param(throttled, ["bad", "good"], id="throttling"),
        pytest.param(lambda _: reported("m0"), ["bad"], id="reported alone"),
    ],
)
def test_queue_receive_after_the_last_goes_to_the_dead_letters_and_not_to_the_function(
    function: Any, dead: list[str]
) -> None:
    bench = QueueBench("bad", "good", function=function, receives_most=2)

    counts = run(bench, rounds=3)

    assert len(counts) == 2
    assert (bench.left, [each.body for each in bench.queue.dead_letters]) == ([], dead)


def test_queue_message_that_outlasts_its_visibility_timeout_goes_to_another_poller() -> None:
    bench = QueueBench("a")
    [first] = bench.poller.receive()

    bench.clock.wait(61)
    [second] = bench.start().receive()

    assert [each["messageId"] for each in first] == [each["messageId"] for each in second]
    assert first[0]["receiptHandle"] != second[0]["receiptHandle"]
