"""The loop every poller runs in, and the threads of one mapping."""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from .clock import Clock, StoppableClock
from .mapping import Mapping
from .observation import Observer
from .queue import QueuePoller
from .sessions import MakeClient
from .shard import Positions
from .stream import StreamPoller

logger = logging.getLogger(__name__)

Step = Callable[[], bool]

ERROR_PAUSE_SECONDS = 0.5
ERROR_PAUSE_SECONDS_MOST = 10.0
STREAM_POLL_SECONDS = 0.25  # AWS reads a shard four times a second
STREAM_POLL_SECONDS_LEAST = 0.05  # whatever the speed: the machine is for the functions
POLLERS_AT_START = 5  # of a queue mapping without a maximum concurrency, as AWS starts
POLLERS_MOST = 20  # a maximum concurrency is a ceiling, and one machine stays below a high one


def run(build: Callable[[], Step], clock: Clock, *, idle_seconds: float, name: str) -> None:
    """Build a poller and step it until the stop; an error is logged and the step tried again after a pause.

    Args:
        build: Makes the step; tried again as well, so that an emulator that is not up yet is waited for.
        clock: Ends the loop.
        idle_seconds: The pause after a step that found nothing to do.
        name: Says in the log whose error it is.
    """
    step: Step | None = None
    pause = ERROR_PAUSE_SECONDS
    while not clock.stopped():
        try:
            step = step or build()
            is_busy = step()
        except Exception:
            logger.exception("%s failed; trying again in %.1f s", name, pause)
            clock.wait(pause)
            pause = min(2 * pause, ERROR_PAUSE_SECONDS_MOST)
        else:
            pause = ERROR_PAUSE_SECONDS
            clock.wait(0 if is_busy else idle_seconds)


class Worker:
    """Polls one mapping in threads of its own until it is stopped."""

    def __init__(
        self,
        mapping: Mapping,
        make_client: MakeClient,
        *,
        positions: Positions,
        clock: StoppableClock,
        observer: Observer,
        speed: float,
    ) -> None:
        self.mapping = mapping
        self._make_client = make_client
        self._positions = positions
        self._clock = clock
        self._observer = observer
        self._speed = speed
        self._name = f"event source mapping {mapping.uuid}"
        target, count = (
            (self._poll_stream, 1)
            if mapping.kind == "stream"
            else (self._poll_queue, min(mapping.maximum_concurrency or POLLERS_AT_START, POLLERS_MOST))
        )
        self._threads = [threading.Thread(target=target, name=self._name, daemon=True) for _ in range(count)]

    def start(self) -> None:
        """Begin polling."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ask the threads to finish what is in hand; returns at once."""
        self._clock.stop()

    def join(self, timeout_seconds: float) -> bool:
        """Wait for the threads so long; tells whether all have ended."""
        deadline = time.monotonic() + timeout_seconds
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _poll_stream(self) -> None:
        with ThreadPoolExecutor(
            self.mapping.parallelization, thread_name_prefix=f"delivery of {self._name}"
        ) as executor:

            def build() -> Step:
                return StreamPoller(
                    self.mapping,
                    self._make_client,
                    positions=self._positions,
                    executor=executor,
                    clock=self._clock,
                    observer=self._observer,
                    speed=self._speed,
                ).step

            run(build, self._clock, idle_seconds=stream_poll_seconds(self._speed), name=self._name)

    def _poll_queue(self) -> None:
        def build() -> Step:
            return QueuePoller(
                self.mapping, self._make_client, clock=self._clock, observer=self._observer, speed=self._speed
            ).step

        run(build, self._clock, idle_seconds=0, name=self._name)  # the long poll is the pause


def stream_poll_seconds(speed: float) -> float:
    """The pause after a read of a shard that found nothing."""
    return max(STREAM_POLL_SECONDS / speed, STREAM_POLL_SECONDS_LEAST)
