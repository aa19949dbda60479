"""A system that moves when it is told to, and clients that are watched."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import RLock
from typing import Any

import orders
from outbox_cli.stack.deployed import Stack
from outbox_cli.status.stored import Totals
from outbox_local.event_sources.observation import ignore
from outbox_local.event_sources.shard import Positions
from tools.simulation.functions import Lambda
from tools.soak.system import CONSUMER, RELAY, System, SystemSettings

HOUR_SECONDS = 3600


class Calm:
    """Surroundings of a function in which nothing goes wrong."""

    def __init__(self, system: System) -> None:
        self.client = system.client

    def remaining_seconds(self) -> float:
        return 10.0

    def sleep(self, seconds: float) -> None:
        """Nothing to wait for."""

    def random(self) -> float:
        return 0.5


class Moving:
    """A system whose relay and consumer run when they are told to."""

    def __init__(self) -> None:
        self.system = System(SystemSettings(stream_batch=100, queue_batch=10))
        self._calm = Calm(self.system)
        functions = Lambda(
            {
                RELAY: lambda event: self.system.relay(event, self._calm),
                CONSUMER: lambda event: self.system.consumer(event, self._calm),
            }
        )
        positions: Positions = {}

        def clients(service: str, role_arn: str | None) -> Any:
            return functions if service == "lambda" else self.system.client(service, role_arn)

        self._executor = ThreadPoolExecutor(1)
        self.relay = self.system.stream_poller(
            clients, positions=positions, executor=self._executor, observer=ignore
        )
        self.consumer = self.system.queue_poller(clients)
        self.placed = 0

    def place(self, count: int) -> None:
        for _ in range(count):
            self.placed += 1
            self.system.command({"order_id": f"o-{self.placed}", "amount_cents": 1}, self._calm)

    def drain(self, step: Callable[[], bool]) -> None:
        while step():
            pass

    def totals(self) -> Totals:
        total = self.system.projection.items[orders.SALES_TOTAL]
        return Totals(int(total["order_count"]["N"]), int(total["revenue_cents"]["N"]))

    def close(self) -> None:
        self._executor.shutdown()


class Watched:
    """A client that tells of each call before it is made, one at a time: the segments of a scan run side by side."""

    _one_at_a_time = RLock()

    def __init__(self, client: Any, told: Callable[[str], None]) -> None:
        self._client = client
        self._told = told

    def __getattr__(self, operation: str) -> Any:
        def call(**request: Any) -> Any:
            with self._one_at_a_time:
                self._told(operation)
                return getattr(self._client, operation)(**request)

        return call


def watched(stack: Stack, told: Callable[[str], None]) -> Stack:
    return Stack(stack.name, stack.outputs, lambda service: Watched(stack.clients(service), told))
