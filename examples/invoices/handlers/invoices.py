"""Consumer function: make an invoice due for each order."""

import os

import billing
from outbox.clients import dynamodb_client
from outbox.consume import consume
from outbox.invocation import BatchResponse, LambdaContext, records_of
from outbox.retry import Backoff
from outbox.settings import required

PROJECTION_TABLE = required(os.environ, "PROJECTION_TABLE", "the name of the projection table")
DYNAMODB = dynamodb_client()


def lambda_handler(event: object, context: LambdaContext) -> BatchResponse:
    """Apply one batch of messages; the answer names those to deliver again."""
    return consume(
        DYNAMODB,
        table=PROJECTION_TABLE,
        records=records_of(event),
        parse=billing.INVOICES.parse,
        backoff=Backoff.within(context),
    )
