"""Reconciler function: resend stored events that were never applied."""

import os
import time
from datetime import datetime

from outbox.clients import dynamodb_client, sqs_client
from outbox.errors import InvalidInputError, describe
from outbox.heal import HealResult, Places, Schedule, heal
from outbox.invocation import LambdaContext
from outbox.retry import Backoff
from outbox.settings import event_types, queue_url, required, whole_number

PLACES = Places(
    source_table=required(os.environ, "SOURCE_TABLE", "the name of the source table"),
    source_index=required(os.environ, "SOURCE_INDEX", "the name of the source table's index by the minute"),
    projection_table=required(os.environ, "PROJECTION_TABLE", "the name of the projection table"),
    queue_url=queue_url(os.environ),
    event_types=event_types(os.environ),
)
SCHEDULE = Schedule(
    interval_minutes=whole_number(os.environ, "RECONCILE_INTERVAL_MINUTES", least=1),
    margin_seconds=whole_number(os.environ, "RECONCILE_MARGIN_SECONDS", least=1),
    horizon_seconds=whole_number(os.environ, "RECONCILE_HORIZON_SECONDS"),
    start=whole_number(os.environ, "RECONCILE_START", default=0),
)
DYNAMODB = dynamodb_client()
SQS = sqs_client()


def lambda_handler(event: object, context: LambdaContext) -> HealResult:
    """Check the events whose turn it is at the time that the schedule names, or now."""
    return heal(
        DYNAMODB,
        SQS,
        places=PLACES,
        schedule=SCHEDULE,
        at=_scheduled_at(event),
        backoff=Backoff.within(context),
        function_name=context.function_name,
    )


def _scheduled_at(event: object) -> float:
    """The time in a scheduled event; a run by hand has none.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html

    Raises:
        InvalidInputError: The time is of another form.
    """
    scheduled = event.get("time") if isinstance(event, dict) else None
    if scheduled is None:
        return time.time()
    try:
        return datetime.fromisoformat(scheduled).timestamp()
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"time of the event must be like 2026-01-31T12:00:00Z, but is {describe(scheduled)}."
        ) from error
