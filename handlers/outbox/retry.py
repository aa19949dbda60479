"""Another try in a moment, as long as the invocation still has the time for it.

Full jitter, because callers that collided once would collide again after equal pauses.
https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from outbox.clients import CONNECT_TIMEOUT_SECONDS, READ_TIMEOUT_SECONDS
from outbox.invocation import LambdaContext

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 1.0

# One attempt of a client, and a moment to answer. A call that starts later could be cut off by the
# function's timeout, which costs every message of the batch a delivery.
RESERVE_SECONDS = CONNECT_TIMEOUT_SECONDS + READ_TIMEOUT_SECONDS + 0.5


@dataclass(frozen=True)
class Backoff:
    """Pauses within one invocation; the clock, the sleep and the dice are passed in."""

    remaining_seconds: Callable[[], float]
    sleep: Callable[[float], object] = time.sleep
    random: Callable[[], float] = random.random

    @classmethod
    def within(cls, context: LambdaContext) -> Backoff:
        """Pauses that end before the invocation does."""
        return cls(lambda: context.get_remaining_time_in_millis() / 1000)

    @classmethod
    def lasting(cls, seconds: float) -> Backoff:
        """Pauses that end so many seconds from now, RESERVE_SECONDS at the least: for callers outside Lambda."""
        deadline = time.monotonic() + seconds
        return cls(lambda: deadline - time.monotonic())

    def has_time(self, pause_seconds: float = 0.0) -> bool:
        """Whether another call may start after a pause."""
        return self.remaining_seconds() - pause_seconds >= RESERVE_SECONDS

    def pause(self, attempt: int) -> bool:
        """Sleep before try number `attempt + 2` and say True; say False at once when time is short."""
        seconds = self.random() * min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**attempt)
        if not self.has_time(seconds):
            return False
        self.sleep(seconds)
        return True
