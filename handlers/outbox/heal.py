"""One run of the reconciler: it resends lost events of certain ages, and counts everything."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, TypedDict

from outbox import log
from outbox.errors import OutOfTimeError, SettingError, UnfinishedError
from outbox.index import Page, stored_between
from outbox.reconcile import Examined, Resent, examine, resend
from outbox.retry import Backoff
from outbox.rows import INDEX_SHARDS
from outbox.windows import Window, windows

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient

HEALED_METRIC = "ReconcilerHealed"
PARKED_METRIC = "ReconcilerParked"
CONFLICTING_METRIC = "ReconcilerConflicting"


@dataclass(frozen=True)
class Places:
    """Where rows are found, markers are read and bodies are sent."""

    source_table: str
    source_index: str
    projection_table: str
    queue_url: str
    event_types: frozenset[str] = frozenset()
    """Types of the events that the consumer gets; all, if empty."""


@dataclass(frozen=True)
class Schedule:
    """How often a run comes, and the ages at which it checks events.

    Raises:
        SettingError: No event would ever be checked.
    """

    interval_minutes: int
    margin_seconds: int
    horizon_seconds: int
    start: int = 0
    """Events stored before the minute of this time (epoch seconds) are left alone."""

    def __post_init__(self) -> None:
        if self.horizon_seconds < self.margin_seconds:
            raise SettingError(
                f"RECONCILE_HORIZON_SECONDS is {self.horizon_seconds}, less than RECONCILE_MARGIN_SECONDS, "
                f"{self.margin_seconds}: no event would ever be checked. Set it to twice the margin or more "
                "and deploy again."
            )


class HealResult(TypedDict):
    """Counts of a run: events checked, resent, undeliverable, applied with other content."""

    rows: int
    healed: int
    parked: int
    conflicting: int


def heal(
    dynamodb: DynamoDBClient,
    sqs: SQSClient,
    *,
    places: Places,
    schedule: Schedule,
    at: float,
    backoff: Backoff,
    function_name: str,
) -> HealResult:
    """Check the events of this run's ages, and resend those that were never applied.

    Nothing is marked: a run may be killed anywhere and come again. `at` is the time for which the run was
    scheduled (epoch seconds), so that a run that Lambda repeats checks the same events. Both clients are used
    by several threads. What a window held is counted as soon as it has been seen.

    Raises:
        UnfinishedError: The time was up, or the queue did not accept an event; what was found is counted all
            the same, and Lambda runs a scheduled function that failed twice more.
        NotReadError: The markers could not be read in time.
        ClientError: A call was refused.
    """
    total = HealResult(rows=0, healed=0, parked=0, conflicting=0)
    undone = ""
    with ThreadPoolExecutor(len(INDEX_SHARDS), thread_name_prefix="shard") as executor:
        for window in windows(at, **vars(schedule)):
            check = _Check(
                dynamodb=dynamodb,
                sqs=sqs,
                places=places,
                at=at,
                backoff=backoff,
                window=window,
                total=total,
            )
            try:
                check.all_shards(executor)
            finally:
                log.metrics(check.metrics, function_name=function_name)
            undone = undone or check.undone
    if undone:
        raise UnfinishedError(
            f"{undone}. Lambda runs it twice more; what is still lost then is checked again at twice its age, "
            "or at once by `outbox reconcile --resend`"
        )
    return total


@dataclass(kw_only=True)
class _Check:
    """The check of one window: its metrics, what it adds to the run's counts, and what it left undone."""

    dynamodb: DynamoDBClient
    sqs: SQSClient
    places: Places
    at: float
    backoff: Backoff
    window: Window
    total: HealResult
    metrics: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys((HEALED_METRIC, PARKED_METRIC, CONFLICTING_METRIC), 0)
    )
    undone: str = ""
    lock: Lock = field(default_factory=Lock)

    def all_shards(self, executor: Executor) -> None:
        """Read the index's shards side by side: nearly all of the time is spent in waiting for answers."""
        shards = stored_between(
            self.dynamodb, self.places.source_table, self.places.source_index, *self.window
        )
        readers = [executor.submit(self._read, pages) for pages in shards]
        wait(readers)
        for reader in readers:
            reader.result()

    def _read(self, pages: Iterator[Page]) -> None:
        try:
            while (page := self.backoff.call(next, pages, None)) is not None:
                if page.rows:
                    seen = examine(
                        self.dynamodb,
                        self.places.projection_table,
                        page.rows,
                        self.backoff,
                        now=self.at,
                        event_types=self.places.event_types,
                    )
                    outcome = resend(self.sqs, self.places.queue_url, seen.lost, self.backoff)
                    with self.lock:
                        self._count(seen, outcome)
        except OutOfTimeError:
            first, last = self.window
            self.undone = f"the time was up before all events stored from {first} until {last} were seen"

    def _count(self, seen: Examined, outcome: Resent) -> None:
        for event_id in outcome.sent:
            log.line("HEALED", event_id, event_id=event_id)
        parked = seen.parked | outcome.refused
        for event_id, reason in parked.items():
            log.line("RECONCILER_PARKED", event_id, reason, event_id=event_id, level="ERROR")
        for event_id in seen.conflicting:
            log.line("RECONCILER_CONFLICTING", event_id, event_id=event_id, level="ERROR")
        for event_id, reason in outcome.unsent.items():
            log.line("RECONCILER_RETRY", event_id, reason, event_id=event_id, level="WARN")
            self.undone = f"{event_id} and perhaps others were not sent: {reason}"
        self.metrics[HEALED_METRIC] += len(outcome.sent)
        self.metrics[PARKED_METRIC] += len(parked)
        self.metrics[CONFLICTING_METRIC] += len(seen.conflicting)
        self.total["rows"] += seen.rows
        self.total["healed"] += len(outcome.sent)
        self.total["parked"] += len(parked)
        self.total["conflicting"] += len(seen.conflicting)
