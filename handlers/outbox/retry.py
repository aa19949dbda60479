"""Whether a call to AWS may start: it may if its slowest course ends before the invocation does.

Pauses before another try are drawn with full jitter: callers that collided once would collide again after equal ones.
https://aws.amazon.com/builders-library/timeouts-retries-and-backoff-with-jitter/
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

from outbox.clients import CONFIG, before_attempt
from outbox.errors import OutOfTimeError
from outbox.invocation import LambdaContext

P = ParamSpec("P")
R = TypeVar("R")

FIRST_PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 1.0
DOUBLINGS_MOST = 10  # beyond the longest pause; a power of any attempt's number would overflow

ANSWER_SECONDS = 0.5  # for the handler to log and answer after its last call


def attempt_seconds(config: Any) -> float:
    """The slowest course of one attempt: three waits, one after the other.

    urllib3 grants the connect timeout to each address of the name, then to the TLS handshake; the answer has the
    read timeout. Three waits cover a slow connection, handshake and answer, or two dead addresses before a slow
    answer, or three dead addresses. Only a name with more addresses, all dead, takes longer.
    """
    return float(2 * config.connect_timeout + max(config.connect_timeout, config.read_timeout))


def sdk_pause_seconds(config: Any) -> float:
    """The longest that the SDK's standard mode waits before its last attempt.

    https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html
    """
    attempts: int = config.retries["total_max_attempts"]
    return min(2.0 ** (attempts - 2), 20.0) if attempts > 1 else 0.0


# Every attempt asks again, so a call needs the time for one attempt and for the pause before one that is refused.
ATTEMPT_RESERVE_SECONDS = attempt_seconds(CONFIG) + ANSWER_SECONDS
RESERVE_SECONDS = ATTEMPT_RESERVE_SECONDS + sdk_pause_seconds(CONFIG)


class Backoff(NamedTuple):
    """The time of one invocation; the clock, the sleep and the random source are passed in."""

    remaining_seconds: Callable[[], float]
    sleep: Callable[[float], object] = time.sleep
    random: Callable[[], float] = random.random

    @classmethod
    def within(cls, context: LambdaContext) -> Backoff:
        """The time until Lambda ends the invocation."""
        return cls(lambda: context.get_remaining_time_in_millis() / 1000)

    @classmethod
    def lasting(cls, seconds: float) -> Backoff:
        """Time for calls to start in, from now on: for callers outside Lambda, which nothing ends."""
        deadline = time.monotonic() + seconds + RESERVE_SECONDS
        return cls(lambda: deadline - time.monotonic())

    def has_time(self, pause_seconds: float = 0.0, *, reserve_seconds: float = RESERVE_SECONDS) -> bool:
        """Whether a call that starts after a pause ends in time, even at its slowest."""
        return self.remaining_seconds() - pause_seconds >= reserve_seconds

    def call(self, operation: Callable[P, R], *args: P.args, **request: P.kwargs) -> R:
        """Make a call if there is time for it; of a client of `outbox.clients`, each attempt asks again.

        Raises:
            OutOfTimeError: The call was not made, or not tried again.
        """
        self._require(RESERVE_SECONDS)
        token = before_attempt.set(lambda: self._require(ATTEMPT_RESERVE_SECONDS))
        try:
            return operation(*args, **request)
        finally:
            before_attempt.reset(token)

    def pause(self, attempt: int) -> bool:
        """Sleep before try number `attempt + 2` and say True; say False at once when time is short."""
        longest = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** min(attempt, DOUBLINGS_MOST))
        seconds = self.random() * longest
        if not self.has_time(seconds):
            return False
        self.sleep(seconds)
        return True

    def _require(self, reserve_seconds: float) -> None:
        if not self.has_time(reserve_seconds=reserve_seconds):
            raise OutOfTimeError(
                f"the time is used up: another call could take {reserve_seconds:g} s; "
                "try again, or with a longer timeout"
            )
