"""A stream mapping with all that is around it, by the fake clock."""

import json
from typing import Any

from outbox_local.event_sources.mapping import Mapping
from outbox_local.event_sources.observation import Observation
from outbox_local.event_sources.shard import Positions
from outbox_local.event_sources.stream import StreamPoller
from tests.outbox_local.event_sources.fakes import (
    FUNCTION_ARN,
    STREAM_ARN,
    FakeClients,
    FakeClock,
    FakeLambda,
    FakeQueue,
    FakeStreams,
    InlineExecutor,
    numbers,
    reported,
)


class Bench:
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
        self.settings = {
            "uuid": "u1",
            "source_arn": STREAM_ARN,
            "function_arn": FUNCTION_ARN,
            "enabled": True,
            "batch_size": 1,
            "reports_failures": True,
            **settings,
        }
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
