"""The simulated system with dead-letter messages of every state, and clients that are killed at a chosen call."""

import contextlib
import io
import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from botocore.exceptions import ReadTimeoutError

import orders
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals, read_totals
from tools.simulation.functions import Lambda
from tools.simulation.sqs import Message
from tools.soak.system import CONSUMER, FUNCTION_TIMEOUT_SECONDS, System, SystemSettings

# Of one world's dead-letter messages: a redrive without an end fails its test, and does not hang it.
RECEIVES_MOST = 5000


class KilledError(BaseException):
    """The process ends where it is: no `except Exception` sees it."""


class World:
    """A system whose queue holds nothing, and the expected outcome of its dead-letter messages."""

    def __init__(self) -> None:
        self.system = System(SystemSettings())
        self.applicable: dict[str, int] = {}
        self.refused: set[str] = set()
        self._receives_left = RECEIVES_MOST
        self._receive = self.system.dead_letters.receive
        self.system.dead_letters.receive = self._bounded  # type: ignore[method-assign]  # however it is called
        function = Lambda({CONSUMER: self.consumer})
        self._poller = self.system.queue_poller(
            lambda service, role: function if service == "lambda" else self.system.client(service, role)
        )

    @property
    def stack(self) -> Stack:
        return self.system.stack()

    def add(self, order_id: str, amount_cents: int, *, applied: bool = False, copies: int = 1) -> None:
        """Dead-letter messages of one event, whose effect may be stored already."""
        text = body(order_id, amount_cents)
        self.applicable[order_id] = amount_cents
        if applied:
            self.system.queue.send(text)
            self.drain()
        for _ in range(copies):
            self.system.dead_letters.send(text)

    def add_conflicting(self, order_id: str, amount_cents: int) -> None:
        """A dead-letter message that claims an event of another content, which is applied."""
        self.add(order_id, amount_cents, applied=True, copies=0)
        self.add_refused(body(order_id, amount_cents + 1))

    def add_refused(self, text: str) -> None:
        """A dead-letter message that the consumer fails every time."""
        self.refused.add(text)
        self.system.dead_letters.send(text)

    def drain(self) -> None:
        """The consumer takes what it can see now."""
        with contextlib.redirect_stdout(io.StringIO()):
            while self._poller.step():
                pass

    def settle(self) -> None:
        """Time passes until the delivery queue is empty."""
        while self.system.queue.messages:
            self.drain()
            self.system.clock.wait(self.system.queue.visibility_seconds + 1)

    def _bounded(self, count: int, visibility_seconds: float | None = None) -> list[Message]:
        self._receives_left -= 1
        assert self._receives_left >= 0, f"dead-letter messages were received more than {RECEIVES_MOST} times"
        return self._receive(count, visibility_seconds)

    def due(self) -> Totals:
        """The totals when each event counts once."""
        return Totals(len(self.applicable), sum(self.applicable.values()))

    def totals(self) -> Totals:
        return read_totals(self.stack)

    def dead_bodies(self) -> list[str]:
        return [each.body for each in self.system.dead_letters.messages.values()]

    def queued_bodies(self) -> list[str]:
        return [each.body for each in self.system.queue.messages.values()]

    def consumer(self, event: Any) -> Any:
        """The consumer's function."""
        return self.system.consumer(event, self)

    # What the consumer is given in place of Lambda's surroundings.

    def client(self, service: str) -> Any:
        return self.system.client(service)

    def remaining_seconds(self) -> float:
        return FUNCTION_TIMEOUT_SECONDS

    def sleep(self, seconds: float) -> None:
        """Nobody waits."""

    def random(self) -> float:
        return 0.0


class Interrupted:
    """The operator's clients, whose call number `at` goes wrong; at 0 none does, and the calls are counted."""

    def __init__(self, system: System, at: int, rng: random.Random) -> None:
        self._system = system
        self._at = at
        self._rng = rng
        self.calls = 0

    def __call__(self, service: str) -> Any:
        return _Client(self._system.client(service), self._perform)

    def _perform(self, call: Callable[..., Any], request: dict[str, Any]) -> Any:
        self.calls += 1
        if self.calls != self._at:
            return call(**request)
        fault = self._rng.choice(["killed before", "killed after", "request lost", "reply lost", "partial"])
        if fault == "partial" and len(request.get("Entries", ())) > 1:
            return self._all_but_one(call, request)
        if fault in ("killed after", "reply lost"):
            call(**request)
        if fault.endswith("lost"):
            raise ReadTimeoutError(endpoint_url="simulated")
        raise KilledError

    def _all_but_one(self, call: Callable[..., Any], request: dict[str, Any]) -> Any:
        unlucky, *rest = request["Entries"]
        answer = call(**{**request, "Entries": rest})
        return {**answer, "Failed": [{"Id": unlucky["Id"], "SenderFault": False, "Code": "InternalError"}]}


class _Client:
    def __init__(self, client: Any, perform: Callable[..., Any]) -> None:
        self._client = client
        self._perform = perform

    def __getattr__(self, operation: str) -> Any:
        call = getattr(self._client, operation)
        return call if operation == "get_paginator" else lambda **request: self._perform(call, request)


def seen_through(stack: Stack, clients: Callable[[str], Any]) -> Stack:
    """The same stack, with other clients."""
    return replace(stack, clients=clients)


class Changed:
    """A client of which some operations are others."""

    def __init__(self, client: Any, **operations: Callable[..., Any]) -> None:
        self._client = client
        self._operations = operations

    def __getattr__(self, name: str) -> Any:
        return self._operations.get(name) or getattr(self._client, name)


def with_sqs(world: World, **operations: Callable[..., Any]) -> Stack:
    sqs = Changed(world.system.client("sqs"), **operations)
    return replace(
        world.stack, clients=lambda service: sqs if service == "sqs" else world.system.client(service)
    )


def body(order_id: str, amount_cents: int) -> str:
    return orders.event_of(orders.Order(order_id, amount_cents)).body


def chance(seed: int) -> random.Random:
    """Choices that a seed repeats."""
    return random.Random(seed)  # noqa: S311 - faults, no secrets


def random_world(rng: random.Random) -> World:
    """Dead-letter messages by chance, in every state, some of them several times."""
    world = World()
    for number in range(rng.randrange(1, 40)):
        kind = rng.choice(["unapplied", "unapplied", "applied", "conflicting", "unreadable"])
        order_id, amount = f"order-{number}", rng.randrange(1, 1000)
        if kind == "conflicting":
            world.add_conflicting(order_id, amount)
        elif kind == "unreadable":
            world.add_refused(json.dumps({"number": number}))
        else:
            world.add(order_id, amount, applied=kind == "applied", copies=rng.randrange(1, 4))
    return world
