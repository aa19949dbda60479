"""Command function: accept an order, and with it the intent to tell others."""

import os

import orders
from outbox.clients import dynamodb_client
from outbox.commit import CommandResult, commit
from outbox.invocation import LambdaContext
from outbox.retry import Backoff
from outbox.settings import required

SOURCE_TABLE = required(os.environ, "SOURCE_TABLE", "the name of the source table")
DYNAMODB = dynamodb_client()


def lambda_handler(event: object, context: LambdaContext) -> CommandResult:
    """Store one order and its event; a repeated request gets the same identity again."""
    order = orders.parse_command(event)
    return commit(
        DYNAMODB,
        table=SOURCE_TABLE,
        state=orders.state_of(order),
        event=orders.event_of(order),
        request_fields=orders.REQUEST_FIELDS,
        backoff=Backoff.within(context),
    )
