"""Receive counts and dead letters: the queue's own rules, met through the poller of a mapping."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from botocore.exceptions import ClientError

from outbox_local.event_sources.mapping import Mapping
from outbox_local.event_sources.queue import QueuePoller
from tests.outbox_local.event_sources.fakes import START
from tools.simulation.clock import VirtualClock
from tools.simulation.functions import Lambda
from tools.simulation.sqs import Queue, Sqs

DAY_SECONDS = 86_400
ARN = "arn:aws:sqs:eu-central-1:000000000000:delivery"

Answer = Callable[[list[dict[str, Any]]], Any]


class Bench:
    """A queue with a dead-letter queue, and the pollers of a mapping that gives it batches of two."""

    def __init__(self, function: Answer, *, receives_most: int = 3, filters: tuple[str, ...] = ()) -> None:
        self.clock = VirtualClock(START)
        self.dead_letters = Queue("dead", self.clock, retention_seconds=4 * DAY_SECONDS)
        self.queue = Queue(
            "delivery",
            self.clock,
            retention_seconds=DAY_SECONDS,
            visibility_seconds=60,
            dead_letters=self.dead_letters,
            receives_most=receives_most,
        )
        self.counts: list[list[str]] = []
        self._function = function
        self._lambda: Any = Lambda({"consumer": self._answer})
        self._mapping = Mapping(
            "u1", ARN, "consumer", enabled=True, batch_size=2, reports_failures=True, filters=filters
        )
        self.poller = self.start()

    def start(self) -> QueuePoller:
        """One more poller."""
        return QueuePoller(self._mapping, self._client, clock=self.clock)

    def run(self, rounds: int) -> None:
        """So many deliveries of what shows, with the visibility timeout between them."""
        for _ in range(rounds):
            self.poller.step()
            self.clock.wait(61)

    def _client(self, service: str, role_arn: str | None) -> Any:
        return self._lambda if service == "lambda" else Sqs([self.queue, self.dead_letters])

    def _answer(self, event: Any) -> Any:
        self.counts.append([each["attributes"]["ApproximateReceiveCount"] for each in event["Records"]])
        return self._function(event["Records"])


def _fails(_: list[dict[str, Any]]) -> Any:
    raise RuntimeError


def test_queue_every_receive_counts_whatever_becomes_of_it() -> None:
    bench = Bench(_fails)
    bench.queue.send("a")

    bench.run(rounds=3)

    assert bench.counts == [["1"], ["2"], ["3"]]


def test_queue_receive_after_the_last_goes_to_the_dead_letters_and_not_to_the_function() -> None:
    bench = Bench(_fails, receives_most=2)
    bench.queue.send("a")

    bench.run(rounds=3)

    assert len(bench.counts) == 2
    assert not bench.queue.messages
    assert [message.body for message in bench.dead_letters.messages.values()] == ["a"]


def test_queue_message_reported_alone_is_dead_lettered_alone() -> None:
    bench = Bench(lambda records: {"batchItemFailures": [{"itemIdentifier": records[0]["messageId"]}]})
    bench.queue.send("bad")
    bench.queue.send("good")

    bench.run(rounds=4)

    assert [message.body for message in bench.dead_letters.messages.values()] == ["bad"]


def test_queue_dead_letter_keeps_the_age_of_its_message() -> None:
    bench = Bench(_fails, receives_most=1)
    sent = bench.queue.send("a")

    bench.run(rounds=2)

    [dead] = bench.dead_letters.messages.values()
    assert (dead.sent_at, dead.receives) == (sent.sent_at, 0)


def test_queue_throttled_function_can_dead_letter_a_message_it_never_saw(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def throttled(*_: Any, **__: Any) -> None:
        raise ClientError({"Error": {"Code": "TooManyRequestsException"}}, "Invoke")

    bench = Bench(_fails, receives_most=2)
    bench.queue.send("a")
    monkeypatch.setattr(Lambda, "invoke", throttled)

    bench.run(rounds=3)

    assert bench.counts == []
    assert len(bench.dead_letters.messages) == 1


def test_queue_message_that_outlasts_its_visibility_timeout_goes_to_another_poller() -> None:
    bench = Bench(lambda _: None)
    bench.queue.send("a")
    [first] = bench.poller.receive()

    bench.clock.wait(61)
    [second] = bench.start().receive()

    assert [each["messageId"] for each in first] == [each["messageId"] for each in second]
    assert first[0]["receiptHandle"] != second[0]["receiptHandle"]


def test_queue_filter_of_an_object_deletes_a_body_that_is_plain_text() -> None:
    bench = Bench(lambda _: None, filters=(json.dumps({"body": {"type": ["OrderCreated"]}}),))
    for body in ("OrderCreated", '{"type":"OrderCreated"}'):
        bench.queue.send(body)

    [delivered] = bench.poller.receive()

    assert [record["body"] for record in delivered] == ['{"type":"OrderCreated"}']
    assert len(bench.queue.messages) == 1
