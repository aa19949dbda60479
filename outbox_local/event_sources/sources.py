"""All event sources of a region: follows the stored mappings and keeps a worker for each enabled one."""

import logging
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .clock import StoppableClock
from .limits import check_stored
from .mapping import InvalidMapping, Mapping
from .observation import Observer, ignore
from .sessions import MakeClient
from .shard import Positions
from .worker import Step, Worker, run

if TYPE_CHECKING:
    from types_boto3_lambda import LambdaClient

logger = logging.getLogger(__name__)

WATCH_SECONDS = 0.2
STOP_SECONDS_MOST = 30.0


class EventSources:
    """Runs every mapping that Lambda's API lists, as it is created, changed, disabled, enabled and deleted.

    A mapping's place in its stream lives as long as this object knows the mapping; a new object begins at the
    mapping's starting position, so with TRIM_HORIZON up to a day of records is delivered again.

    Args:
        make_client: Makes the clients; `role_clients` is the usual one.
        speed: Shortens the waits of the event source alone: batching windows, pauses between retries, record
            ages, and how long a failed message stays invisible. Nothing deployed changes; 1 overrides nothing.
        observer: Told what happens to records, from several threads.
        now: The time that windows and record ages are measured by, in epoch seconds.

    Raises:
        ValueError: The speed is not positive.
    """

    def __init__(
        self,
        make_client: MakeClient,
        *,
        speed: float = 1.0,
        observer: Observer = ignore,
        now: Callable[[], float] = time.time,
    ) -> None:
        if not speed > 0:
            raise ValueError(f"speed is {speed!r}: give a number above 0; 1 keeps every wait as deployed.")
        self._make_client = make_client
        self._speed = speed
        self._observer = observer
        self._now = now
        self._clock = StoppableClock(now)
        self._thread = threading.Thread(target=self._watch, name="event sources", daemon=True)
        self._workers: dict[str, Worker] = {}
        self._stopping: dict[str, Worker] = {}
        self._positions: dict[str, Positions] = {}
        self._refused: dict[str, str] = {}

    def start(self) -> None:
        """Begin to follow the mappings; returns at once."""
        self._thread.start()

    def stop(self, timeout_seconds: float = STOP_SECONDS_MOST) -> None:
        """Stop all pollers, wait for the deliveries in hand, and return when every thread has ended.

        Raises:
            TimeoutError: A delivery took longer than `timeout_seconds`; its thread ends with the delivery.
        """
        deadline = time.monotonic() + timeout_seconds
        self._clock.stop()
        self._thread.join(timeout_seconds)
        workers = [*self._workers.values(), *self._stopping.values()]
        for worker in workers:
            worker.stop()
        late = [
            worker.mapping.uuid
            for worker in workers
            if not worker.join(max(0.0, deadline - time.monotonic()))
        ]
        if late or self._thread.is_alive():
            raise TimeoutError(
                f"Event sources still at work after {timeout_seconds} s: {', '.join(late) or 'the mapping list'}. "
                "A function is still running: wait for it, or stop the emulator."
            )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _watch(self) -> None:
        run(self._build, self._clock, idle_seconds=WATCH_SECONDS, name="the list of event source mappings")

    def _build(self) -> Step:
        client: LambdaClient = self._make_client("lambda", None)

        def step() -> bool:
            self._follow(self._listed(client))
            return False

        return step

    def _listed(self, client: "LambdaClient") -> dict[str, Mapping]:
        mappings: dict[str, Mapping] = {}
        refused: dict[str, str] = {}
        for page in client.get_paginator("list_event_source_mappings").paginate():
            for description in page["EventSourceMappings"]:
                uuid = description["UUID"]
                try:
                    check_stored(description)
                    mappings[uuid] = Mapping.parse(description)
                except InvalidMapping as error:
                    refused[uuid] = str(error)
        for uuid in [uuid for uuid, reason in refused.items() if self._refused.get(uuid) != reason]:
            logger.warning("mapping %s is left alone: %s", uuid, refused[uuid])
        self._refused = refused
        return mappings

    def _follow(self, listed: dict[str, Mapping]) -> None:
        """Stop what changed or went and start what is new; a mapping's new worker waits for the end of its old."""
        for uuid, worker in list(self._workers.items()):
            if listed.get(uuid) != worker.mapping:
                worker.stop()
                self._stopping[uuid] = self._workers.pop(uuid)
        for uuid in [uuid for uuid, worker in self._stopping.items() if worker.join(0)]:
            del self._stopping[uuid]
        for uuid in self._positions.keys() - listed.keys() - self._refused.keys() - self._stopping.keys():
            del self._positions[uuid]
        for uuid, mapping in listed.items():
            if mapping.enabled and uuid not in self._workers and uuid not in self._stopping:
                self._workers[uuid] = self._started(mapping)

    def _started(self, mapping: Mapping) -> Worker:
        worker = Worker(
            mapping,
            self._make_client,
            positions=self._positions.setdefault(mapping.uuid, {}),
            clock=StoppableClock(self._now),
            observer=self._observer,
            speed=self._speed,
        )
        worker.start()
        return worker
