"""Reconciler function: find stored events that were never applied, and put them on the queue again."""

import os
import time
from datetime import datetime

from outbox.clients import dynamodb_client, sqs_client
from outbox.heal import HealResult, Places, Schedule, heal
from outbox.invocation import LambdaContext
from outbox.retry import Backoff
from outbox.settings import required, whole_number

PLACES = Places(
    source_table=required(os.environ, "SOURCE_TABLE", "the name of the source table"),
    source_index=required(os.environ, "SOURCE_INDEX", "the name of the source table's index by the minute"),
    projection_table=required(os.environ, "PROJECTION_TABLE", "the name of the projection table"),
    queue_url=required(os.environ, "QUEUE_URL", "the URL of the delivery queue"),
)
SCHEDULE = Schedule(
    interval_minutes=whole_number(os.environ, "RECONCILE_INTERVAL_MINUTES"),
    margin_seconds=whole_number(os.environ, "RECONCILE_MARGIN_SECONDS"),
    horizon_seconds=whole_number(os.environ, "RECONCILE_HORIZON_SECONDS"),
    start=whole_number(os.environ, "RECONCILE_START", default=0),
)
DYNAMODB = dynamodb_client()
SQS = sqs_client()


def lambda_handler(event: object, context: LambdaContext) -> HealResult:
    """Look at the events whose turn it is at the time that the schedule names, or now."""
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
    """
    scheduled = event.get("time") if isinstance(event, dict) else None
    return datetime.fromisoformat(scheduled).timestamp() if isinstance(scheduled, str) else time.time()
