"""Mappings with all that is around them: a stream's and a queue's by the fake clock, and running ones."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

from outbox_local.event_sources.mapping import Mapping
from outbox_local.event_sources.observation import Observation
from outbox_local.event_sources.queue import QueuePoller
from outbox_local.event_sources.shard import Positions
from outbox_local.event_sources.stream import StreamPoller
from tests.outbox_local.event_sources.fakes import (
    FUNCTION_ARN,
    QUEUE_ARN,
    STREAM_ARN,
    FakeClients,
    FakeClock,
    FakeLambda,
    FakeQueue,
    FakeStreams,
    reported,
)

PATIENCE_SECONDS = 10.0
SETTINGS: dict[str, Any] = {
    "uuid": "u1",
    "function_arn": FUNCTION_ARN,
    "enabled": True,
    "reports_failures": True,
}


class InlineExecutor(Executor):
    """Runs everything at once in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - an executor hands every error on
            future.set_exception(error)
        return future


def numbers(records: list[dict[str, Any]]) -> list[int]:
    """The sequence numbers of stream records, in the order of delivery."""
    return [int(record["dynamodb"]["SequenceNumber"]) for record in records]


class StreamBench:
    """One poller with its surroundings; `function` gets the sequence numbers it was given and says the answer."""

    def __init__(
        self,
        *records: dict[str, Any],
        function: Any = None,
        speed: float = 1,
        sns: Any = None,
        **settings: Any,
    ) -> None:
        self.clock = FakeClock()
        self.streams = FakeStreams(*records)
        self.function = FakeLambda(lambda events: function(numbers(events)) if function else reported())
        self.destination = FakeQueue(self.clock)
        self.clients = FakeClients(
            lambda_=self.function, dynamodbstreams=self.streams, sqs=self.destination, sns=sns
        )
        self.positions: Positions = {}
        self.seen: list[Observation] = []
        self.speed = speed
        self.settings = {**SETTINGS, "source_arn": STREAM_ARN, "batch_size": 1, **settings}
        self.poller = self.start()

    def start(self) -> StreamPoller:
        """A new poller that goes on at the stored positions, as after a change of the mapping."""
        return StreamPoller(
            Mapping(**self.settings),
            self.clients,
            positions=self.positions,
            executor=InlineExecutor(),
            clock=self.clock,
            observer=self.seen.append,
            speed=self.speed,
        )

    def run(self, *, seconds: float = 3600) -> list[list[int]]:
        """Step with a quarter of a second between idle steps; returns every delivery so far."""
        end = self.clock.time + seconds
        while self.clock.time < end:
            if not self.poller.step():
                self.clock.wait(0.25)
        return self.delivered

    @property
    def delivered(self) -> list[list[int]]:
        return [numbers(event) for event in self.function.events]

    @property
    def discarded(self) -> list[dict[str, Any]]:
        return [json.loads(call["MessageBody"]) for call in self.destination.sent]


def fails(*bad: int, times: int = 1_000_000) -> Any:
    """A function that stops at the first bad record and reports it, so many times."""
    left = dict.fromkeys(bad, times)

    def function(received: list[int]) -> str:
        for number in received:
            if left.get(number, 0) > 0:
                left[number] -= 1
                return reported(str(number))
        return reported()

    return function


def raises(*bad: int) -> Any:
    """A function that raises whenever a bad record is in the batch."""

    def function(received: list[int]) -> str:
        if set(bad) & set(received):
            raise ArithmeticError
        return reported()

    return function


class QueueBench:
    """One poller with its surroundings; `function` gets the message ids it was given and says the answer."""

    def __init__(
        self,
        *bodies: str,
        function: Any = None,
        speed: float = 1,
        visibility_seconds: int = 60,
        receives_most: int | None = None,
        **settings: Any,
    ) -> None:
        self.clock = FakeClock()
        self.queue = FakeQueue(
            self.clock, *bodies, visibility_seconds=visibility_seconds, receives_most=receives_most
        )
        self.function = FakeLambda(lambda event: function(ids(event)) if function else reported())
        self.clients = FakeClients(lambda_=self.function, sqs=self.queue)
        self.seen: list[Observation] = []
        self.speed = speed
        self.mapping = Mapping(**{**SETTINGS, "source_arn": QUEUE_ARN, "batch_size": 10, **settings})
        self.poller = self.start()

    def start(self) -> QueuePoller:
        """One more poller."""
        return QueuePoller(
            self.mapping, self.clients, clock=self.clock, observer=self.seen.append, speed=self.speed
        )

    @property
    def delivered(self) -> list[list[str]]:
        return [ids(event) for event in self.function.events]

    @property
    def left(self) -> list[str]:
        return [message.id for message in self.queue.messages]


def ids(event: list[dict[str, Any]]) -> list[str]:
    return [record["messageId"] for record in event]


def description(
    uuid: str = "u1", *, arn: str = STREAM_ARN, state: str = "Enabled", **more: Any
) -> dict[str, Any]:
    return {
        "UUID": uuid,
        "EventSourceArn": arn,
        "FunctionArn": FUNCTION_ARN,
        "State": state,
        "BatchSize": 1,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        **more,
    }


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def delivered(function: FakeLambda) -> list[list[int]]:
    return [numbers(event) for event in function.events]


def poller_threads() -> int:
    return sum(thread.name.startswith("event source mapping") for thread in threading.enumerate())
