"""Looking again and again, for as long as anybody should wait."""

import time
from collections.abc import Callable, Iterator
from typing import TypeVar

WAIT_SECONDS_MOST = 40.0
POLL_SECONDS = 0.05

Seen = TypeVar("Seen")


def looks(look: Callable[[], Seen]) -> Iterator[Seen]:
    """Observations from moment to moment, for as long as anybody should wait."""
    deadline = time.monotonic() + WAIT_SECONDS_MOST
    while time.monotonic() < deadline:
        yield look()
        time.sleep(POLL_SECONDS)
