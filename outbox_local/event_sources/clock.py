"""Time as the pollers see it, so that tests need not wait."""

import threading
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """A time, a wait, and the wish to stop; a wait ends early when that wish comes."""

    def now(self) -> float:
        """Epoch seconds."""

    def wait(self, seconds: float) -> None:
        """Wait so long, or until the stop."""

    def stopped(self) -> bool:
        """Whether to finish what is in hand and take nothing new."""


class StoppableClock:
    """The real clock of one poller."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._stop = threading.Event()
        self.now = now

    def wait(self, seconds: float) -> None:
        """Wait so long, or until `stop` is called."""
        self._stop.wait(seconds)

    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return self._stop.is_set()

    def stop(self) -> None:
        """End every present and later wait."""
        self._stop.set()
