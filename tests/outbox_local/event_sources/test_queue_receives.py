"""Receive counts and dead letters: the queue's own rules, met through the poller of a mapping."""

from typing import Any

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


def test_queue_every_receive_counts_whatever_becomes_of_it() -> None:
    bench = QueueBench("a", function=fails)

    counts = run(bench, rounds=3)

    assert counts == [["1"], ["2"], ["3"]]


def test_queue_receive_after_the_last_goes_to_the_dead_letters_and_not_to_the_function() -> None:
    bench = QueueBench("a", function=fails, receives_most=2)

    counts = run(bench, rounds=3)

    assert len(counts) == 2
    assert (bench.left, [each.body for each in bench.queue.dead_letters]) == ([], ["a"])


def test_queue_message_reported_alone_is_dead_lettered_alone() -> None:
    bench = QueueBench("bad", "good", function=lambda _: reported("m0"), receives_most=3)

    run(bench, rounds=4)

    assert (bench.left, [each.body for each in bench.queue.dead_letters]) == ([], ["bad"])


def test_queue_throttled_function_can_dead_letter_a_message_it_never_saw() -> None:
    def throttled(_: list[str]) -> Any:
        raise Throttled

    bench = QueueBench("a", function=throttled, receives_most=2)

    run(bench, rounds=3)

    assert (bench.left, [each.body for each in bench.queue.dead_letters]) == ([], ["a"])


def test_queue_message_that_outlasts_its_visibility_timeout_goes_to_another_poller() -> None:
    bench = QueueBench("a")
    [first] = bench.poller.receive()

    bench.clock.wait(61)
    [second] = bench.start().receive()

    assert [each["messageId"] for each in first] == [each["messageId"] for each in second]
    assert first[0]["receiptHandle"] != second[0]["receiptHandle"]
