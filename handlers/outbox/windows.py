"""Which minutes a run of the reconciler looks at, so that what stays lost is sent ever more rarely.

An event without a marker can be lost, or be a dead letter that waits for a person: its row looks the same, and
sending it every few minutes would flood the queue. So a run looks at events of certain ages only: of the margin,
and of two, four, eight ... times that, up to the horizon. From run to run these windows move on without a gap,
so each event is looked at once at every such age, and sent at most that often: with 15 minutes and 14 days
eleven times. Where the interval is longer than an age, the windows of two ages would meet: then the older one ends
where the younger begins, and no run sends an event twice. An event whose run did not happen is found at the next age.

The oldest come first. What a run has no time for gets older and its turn earlier, so nothing is passed over for
good as long as a run gets through its oldest windows; youngest first, a large window would do so every time.
"""

from typing import NamedTuple

from outbox.rows import minute_of, start_of

MINUTE_SECONDS = 60


class Window(NamedTuple):
    """Rows stored from the first to the last of these minutes, both included."""

    first_minute: str
    last_minute: str


def windows(
    at: float, *, interval_minutes: int, margin_seconds: int, horizon_seconds: int, start: int = 0
) -> list[Window]:
    """The windows of the run at a time (epoch seconds), the oldest events first; no minute is in two of them.

    Each is one minute longer than the interval: runs come a moment sooner or later than their schedule says. Minutes
    before that of `start` (epoch seconds) are in none.
    """
    found: list[Window] = []
    age = margin_seconds
    while age <= horizon_seconds:
        last = (
            at - age - MINUTE_SECONDS
        )  # the minute in which the youngest of them was stored has ended by then
        first = max(start, last - interval_minutes * MINUTE_SECONDS)
        if found:
            last = min(last, start_of(found[-1].first_minute) - MINUTE_SECONDS)
        found.append(Window(minute_of(first), minute_of(last)))
        age *= 2
    return [window for window in reversed(found) if window.last_minute >= minute_of(start)]
