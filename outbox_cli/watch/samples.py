"""Samples of a stack's tables, queues and logs, taken one after the other."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

from outbox_cli.domain import domain_of
from outbox_cli.durations import MILLISECONDS
from outbox_cli.stack.deployed import Stack, functions_of
from outbox_cli.status.stored import QueueCounts, count_messages, read_amounts
from outbox_cli.status.table_counts import TableCount, count_items
from outbox_cli.trace.facts import LogLine, read_log

# Lines come to CloudWatch seconds after they were written: each read begins this much before the newest one seen.
OVERLAP_MS = 15_000
LINES_KEPT = 20
# One page costs 128 read units each time; a larger table is not counted again and again.
PAGES_COUNTED = 1
ROW_KIND = "OUTBOX"

COUNTED = {
    "ACCEPTED": "accepted",
    "ALREADY_ACCEPTED": "accepted_again",
    "NOT_STORED": "failures",
    "FORWARDED": "relayed",
    "APPLIED": "applied",
    "DUPLICATE_IGNORED": "duplicates",
    "RETRY": "failures",
    "RELAY_RETRY": "failures",
    "RELAY_PARKED": "failures",
    "HEALED": "healed",
    "RECONCILER_RETRY": "failures",
    "RECONCILER_PARKED": "failures",
    "RECONCILER_CONFLICTING": "failures",
}
NOTHING = dict.fromkeys(COUNTED.values(), 0)


@dataclass(frozen=True)
class Sample:
    """A stack at about one moment, and what its logs tell since an earlier one."""

    stack: str
    since: datetime
    """From when on log lines are counted."""
    read_at: datetime
    logged: dict[str, int]
    """By the values of COUNTED."""
    source_table: TableCount
    queue: QueueCounts
    dead_letter_queue: QueueCounts
    totals: dict[str, int]
    """Empty where the domain is not known."""
    last_lines: tuple[LogLine, ...]
    """The newest, in the order of time."""

    @property
    def outbox_rows(self) -> int | None:
        """How many events are stored to be sent; None where the table is too large to count each time."""
        kinds = self.source_table.by_kind
        return None if kinds is None else kinds.get(ROW_KIND, 0)


class LogTally:
    """Counts log lines by their first word, each once, though reads overlap."""

    def __init__(self, since_ms: int) -> None:
        self.counts = dict(NOTHING)
        self.last_lines: deque[LogLine] = deque(maxlen=LINES_KEPT)
        self.read_from_ms = since_ms
        self._seen: Counter[LogLine] = Counter()

    def take(self, lines: Iterable[LogLine]) -> None:
        """Adds what is new in a read of every line since `read_from_ms`.

        The same line can be written twice in a millisecond, so lines are compared by how often they occur.
        """
        found = Counter(line for line in lines if _counted(line))
        fresh = sorted((found - self._seen).elements(), key=lambda line: line.at_ms)
        for line in fresh:
            self.counts[COUNTED[_word(line)]] += 1
        self.last_lines.extend(fresh)
        newest = max((line.at_ms for line in found), default=0)
        self.read_from_ms = max(self.read_from_ms, newest - OVERLAP_MS)
        known = self._seen | found
        self._seen = Counter({line: n for line, n in known.items() if line.at_ms >= self.read_from_ms})


def _word(line: LogLine) -> str:
    return line.text.partition(" ")[0]


def _counted(line: LogLine) -> bool:
    return _word(line) in COUNTED


def samples(
    stack: Stack,
    *,
    back_seconds: float,
    interval_seconds: float,
    most: int | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[Sample]:
    """Samples of a stack, one after each interval.

    Args:
        stack: where to look.
        back_seconds: how far back from the start log lines are counted.
        interval_seconds: the pause between two samples.
        most: how many; None for no end.
        now: the time.
        sleep: how to pause.
    """
    since_ms = int((now().timestamp() - back_seconds) * MILLISECONDS)
    since = datetime.fromtimestamp(since_ms / MILLISECONDS, UTC)
    tally = LogTally(since_ms)
    for number in count(1):
        start_ms = tally.read_from_ms
        tally.take(line for name in functions_of(stack) for line in read_log(stack, name, since_ms=start_ms))
        yield Sample(
            stack=stack.name,
            since=since,
            read_at=now(),
            logged=dict(tally.counts),
            source_table=count_items(stack, stack["source_table_name"], most_pages=PAGES_COUNTED),
            queue=count_messages(stack, stack["queue_url"]),
            dead_letter_queue=count_messages(stack, stack["dead_letter_queue_url"]),
            totals=read_amounts(stack, domain_of(stack)),
            last_lines=tuple(tally.last_lines),
        )
        if number == most:
            return
        sleep(interval_seconds)


def sample_as_json(sample: Sample) -> dict[str, Any]:
    """A sample as one object, with times in ISO 8601."""
    times = {name: getattr(sample, name).isoformat(timespec="milliseconds") for name in ("since", "read_at")}
    return asdict(sample) | times | {"outbox_rows": sample.outbox_rows}
