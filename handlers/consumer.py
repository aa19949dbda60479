"""Consumer function: add every order to the sales once, whatever the queue repeats."""

import os

import orders
from outbox.clients import dynamodb_client
from outbox.consume import consume
from outbox.invocation import BatchResponse, LambdaContext, records_of
from outbox.retry import Backoff
from outbox.settings import aggregate_shard, required

PROJECTION_TABLE = required(os.environ, "PROJECTION_TABLE", "the name of the projection table")
# The order whose messages fail after their effect is stored; empty for none.
FAULT_AFTER_COMMIT = os.environ.get("FAULT_AFTER_COMMIT", "")
SHARD = aggregate_shard(os.environ)
SALES = orders.sales(SHARD)
DYNAMODB = dynamodb_client()


def lambda_handler(event: object, context: LambdaContext) -> BatchResponse:
    """Apply one batch of messages; the answer names those to deliver again."""
    return consume(
        DYNAMODB,
        table=PROJECTION_TABLE,
        records=records_of(event),
        parse=SALES.parse,
        backoff=Backoff.within(context),
        fault_event_id=orders.event_id_of(FAULT_AFTER_COMMIT),
    )
