"""One run of the reconciler: lost events of certain ages go to the queue again, and everything is counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from outbox import log
from outbox.errors import UnfinishedError
from outbox.index import stored_between
from outbox.reconcile import examine, resend
from outbox.retry import Backoff
from outbox.windows import windows

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


@dataclass(frozen=True)
class Schedule:
    """How often a run comes, and at which ages it looks for lost events."""

    interval_minutes: int
    margin_seconds: int
    horizon_seconds: int


class HealResult(TypedDict):
    """What a run did: events looked at, sent again, never sendable, applied with other content."""

    rows: int
    healed: int
    parked: int
    conflicting: int


@dataclass
class _Run:
    """The tallies of a run, and what it could not do."""

    result: HealResult = field(default_factory=lambda: HealResult(rows=0, healed=0, parked=0, conflicting=0))
    undone: str = ""


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
    """Look at the events of this run's ages, and send those that were never applied.

    Nothing is marked: a run may be killed anywhere and come again. `at` is the time for which the run was
    scheduled (epoch seconds), so that a run that Lambda repeats looks at the same events.

    Raises:
        UnfinishedError: The time was up, or the queue did not accept an event; what was found is counted all
            the same, and Lambda runs a scheduled function that failed twice more.
        NotReadError: The markers could not be read in time.
        ClientError: A call was refused.
    """
    run = _Run()
    try:
        _look(dynamodb, sqs, run, places=places, schedule=schedule, at=at, backoff=backoff)
    finally:
        counts = {
            HEALED_METRIC: run.result["healed"],
            PARKED_METRIC: run.result["parked"],
            CONFLICTING_METRIC: run.result["conflicting"],
        }
        log.metrics(counts, function_name=function_name)
    if run.undone:
        raise UnfinishedError(f"{run.undone}; the next run, or `outbox reconcile --resend`, goes on")
    return run.result


def _look(
    dynamodb: DynamoDBClient,
    sqs: SQSClient,
    run: _Run,
    *,
    places: Places,
    schedule: Schedule,
    at: float,
    backoff: Backoff,
) -> None:
    for window in windows(
        at,
        interval_minutes=schedule.interval_minutes,
        margin_seconds=schedule.margin_seconds,
        horizon_seconds=schedule.horizon_seconds,
    ):
        for page in stored_between(dynamodb, places.source_table, places.source_index, *window):
            if not backoff.has_time():
                run.undone = f"the time was up before the events stored until {window.last_minute} were seen"
                return
            if page.rows:
                seen = examine(dynamodb, places.projection_table, page.rows, backoff, now=at)
                outcome = resend(sqs, places.queue_url, seen.lost, backoff)
                for event_id in outcome.sent:
                    log.line("HEALED", event_id, event_id=event_id)
                for event_id, reason in (seen.parked | outcome.refused).items():
                    log.line("RECONCILER_PARKED", event_id, reason, event_id=event_id, level="ERROR")
                for event_id in seen.conflicting:
                    log.line("RECONCILER_CONFLICTING", event_id, event_id=event_id, level="ERROR")
                run.result["rows"] += seen.rows
                run.result["healed"] += len(outcome.sent)
                run.result["parked"] += len(seen.parked) + len(outcome.refused)
                run.result["conflicting"] += len(seen.conflicting)
                for event_id, reason in outcome.unsent.items():
                    log.line("RECONCILER_RETRY", event_id, reason, event_id=event_id, level="WARN")
                    run.undone = f"{event_id} and perhaps others were not sent: {reason}"
