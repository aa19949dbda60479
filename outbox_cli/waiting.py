"""Waits for something to be seen, and in the end says what was seen instead."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Seen = TypeVar("Seen")

POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Wait:
    """How long to wait at the most for one thing; clock and sleep can be a test's own."""

    timeout_seconds: float
    poll_seconds: float = POLL_SECONDS
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def until(self, look: Callable[[], Seen], satisfied: Callable[[Seen], bool]) -> Seen:
        """Polls until the result satisfies, or time is up; returns the last result."""
        deadline = self.clock() + self.timeout_seconds
        while True:
            seen = look()
            if satisfied(seen) or self.clock() >= deadline:
                return seen
            self.sleep(self.poll_seconds)
