"""Very many events under faults on the simulated AWS, in rounds that each end with a count of everything.

A round is a system of its own: orders are placed by clients that repeat what was not answered, every call can
fail in every way, functions are killed, pollers die, messages come back. Then the faults end, the operator
redrives and reconciles, and each order must count once. Rounds bound the memory, not the number of events.
"""

import contextlib
import io
import random
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from outbox_cli.dead_letters.redrive import move
from outbox_cli.reconcile.search import reconcile
from outbox_local.event_sources.observation import ignore
from outbox_local.event_sources.queue import QueuePoller
from outbox_local.event_sources.shard import Position
from outbox_local.event_sources.stream import StreamPoller
from tools.simulation.faults import Fault, perform
from tools.simulation.functions import Lambda
from tools.soak.system import CONSUMER, FUNCTION_TIMEOUT_SECONDS, RELAY, System, SystemSettings
from tools.walkthrough import orders

MAXIMUM_AMOUNT_CENTS: int = orders.MAXIMUM_AMOUNT_CENTS
ROUND_EVENTS = 10_000
BURST_EVENTS = 200
FAULTS_PER_CALL = 0.02
REPEATS_PER_COMMAND = 0.02
POLLER_DEATHS_PER_BURST = 0.05
RETURNING_MESSAGES_PER_BURST = 0.5
REDRIVES_PER_SECOND = 500
STILL_ROUNDS_MOST = 200
SETTINGS = (
    # Batches that fill more than one transaction, and totals that concurrent functions share.
    SystemSettings(
        shards=2,
        stream_batch=100,
        parallelization=2,
        queue_batch=100,
        queue_window_seconds=1,
        aggregate_shards=4,
    ),
    SystemSettings(stream_batch=100, queue_batch=100, queue_window_seconds=1, bisects=True, receives_most=3),
)


class _KilledError(BaseException):
    """Ends a function where it is: no `except Exception` of the function sees it."""


@dataclass(frozen=True)
class RoundResult:
    """Result of one round."""

    events: int
    lost: int
    doubled: int


class _InTurn(Executor):
    """Deliveries one after the other, in this thread."""

    def map(self, function: Any, *arguments: Any, **_: Any) -> Iterator[Any]:  # type: ignore[override]  # simpler
        return map(function, *arguments)


class _Unreliable:
    """Any client, whose every call can go wrong in every way while the faults last."""

    def __init__(self, client: Any, chance: "_Chance") -> None:
        self._client = client
        self._chance = chance

    def __getattr__(self, operation: str) -> Any:
        call = getattr(self._client, operation)
        return lambda **request: self._chance.perform(operation, call, request)


class _Chance:
    """Decides what goes wrong, from one seed; and is what a function sees of the world."""

    def __init__(self, system: System, seed: int) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - faults, no secrets
        self.is_on = True
        self._clients = {
            service: _Unreliable(system.client(service), self) for service in ("dynamodb", "sqs")
        }

    def client(self, service: str) -> Any:
        return self._clients[service]

    def remaining_seconds(self) -> float:
        return FUNCTION_TIMEOUT_SECONDS

    def sleep(self, seconds: float) -> None:
        """Virtual time of one function does not move anybody else's."""

    def random(self) -> float:
        return self.rng.random()

    def happens(self, chance: float) -> bool:
        return self.is_on and self.rng.random() < chance

    def perform(self, operation: str, call: Any, request: dict[str, Any]) -> dict[str, Any]:
        if not self.happens(FAULTS_PER_CALL):
            answer: dict[str, Any] = call(**request)
            return answer
        fault = self.rng.choice([*Fault, None])
        if fault is None:
            if self.rng.random() < 0.5:  # noqa: PLR2004 - killed before the call or after it
                call(**request)
            raise _KilledError
        return perform(operation, call, request, fault, self.rng.randrange(1 << 10))


class Round:
    """One system from its first order to the count of all."""

    def __init__(self, events: int, seed: int, *, is_calm: bool = False) -> None:
        self._system = System(SETTINGS[seed % len(SETTINGS)])
        self._events = events
        self._chance = _Chance(self._system, seed)
        self._chance.is_on = not is_calm
        self._positions: dict[str, Position] = {}
        self._lambda = Lambda(
            {RELAY: self._function(self._system.relay), CONSUMER: self._function(self._system.consumer)}
        )
        self._consumer: QueuePoller = self._system.queue_poller(self._client)
        self._relay = self._new_relay()

    def run(self) -> RoundResult:
        """Place, deliver and recover everything."""
        with contextlib.redirect_stdout(_Nowhere()):
            for first in range(0, self._events, BURST_EVENTS):
                for number in range(first, min(first + BURST_EVENTS, self._events)):
                    self._place(number)
                self._disturb()
                self._deliver()
            self._settle()
            self._chance.is_on = False
            self._settle()
            move(self._system.stack(), REDRIVES_PER_SECOND, sleep=lambda _: None)
            reconcile(self._system.stack(), send=True, segments=1)
            self._settle()
        return self._counted()

    def _place(self, number: int) -> None:
        """A client that repeats its command until it is answered, and now and then once more."""
        command = {"order_id": f"order-{number}", "amount_cents": _amount_cents(number)}
        is_answered = False
        while not is_answered or self._chance.happens(REPEATS_PER_COMMAND):
            with contextlib.suppress(_KilledError, Exception):  # whatever it was, the client tries again
                self._system.command(command, self._chance)
                is_answered = True

    def _disturb(self) -> None:
        if self._chance.happens(POLLER_DEATHS_PER_BURST):
            self._relay = self._new_relay()
        messages = list(self._system.queue.messages.values())
        if messages and self._chance.happens(RETURNING_MESSAGES_PER_BURST):
            self._system.queue.show_again(self._chance.rng.choice(messages))

    def _deliver(self) -> None:
        while self._relay.step() | self._consumer.step():
            pass

    def _settle(self) -> None:
        """Time passes until nothing is left to deliver."""
        for _ in range(STILL_ROUNDS_MOST):
            self._deliver()
            if not self._system.queue.messages and not any(self._lag()):
                return
            self._system.clock.wait(self._system.queue.visibility_seconds + 1)

    def _lag(self) -> Iterator[bool]:
        """Whether each shard has records that are not done."""
        return (position.iterator_type == "AT_SEQUENCE_NUMBER" for position in self._positions.values())

    def _counted(self) -> RoundResult:
        """An order is lost without its marker or without its share of the total; what is beyond is doubled."""
        items = self._system.projection.items.values()
        applied = sum("digest" in item for item in items)
        orders_counted, cents_counted = (
            sum(int(item[name]["N"]) for item in items if name in item)
            for name in ("order_count", "revenue_cents")
        )
        cents = sum(_amount_cents(number) for number in range(self._events))
        lost = self._events - min(applied, orders_counted)
        doubled = max(orders_counted - self._events, 0)
        if not lost and not doubled and cents_counted != cents:
            lost = doubled = 1  # one order's cents are missing and another's are there in their place
        return RoundResult(self._events, lost, doubled)

    def _new_relay(self) -> StreamPoller:
        return self._system.stream_poller(
            self._client, positions=self._positions, executor=_InTurn(), observer=ignore
        )

    def _client(self, service: str, role_arn: str | None) -> Any:
        """The pollers' own calls are reliable: what they lose is lost by their death, which is a fault above."""
        return self._lambda if service == "lambda" else self._system.client(service, role_arn)

    def _function(self, handler: Any) -> Any:
        def function(event: Any) -> Any:
            try:
                return handler(event, self._chance)
            except _KilledError:
                raise RuntimeError("the function was killed") from None

        return function


def _amount_cents(number: int) -> int:
    return 1 + number % MAXIMUM_AMOUNT_CENTS


class _Nowhere(io.TextIOBase):
    """Drops the lines that the functions print in a million events."""

    def write(self, text: str) -> int:
        return len(text)
