"""Command function: accept a movement, and with it the intent to tell others."""

import os

import movements
from outbox.clients import dynamodb_client
from outbox.commit import CommandResult, commit
from outbox.invocation import LambdaContext
from outbox.retry import Backoff
from outbox.settings import required

SOURCE_TABLE = required(os.environ, "SOURCE_TABLE", "the name of the source table")
DYNAMODB = dynamodb_client()


def lambda_handler(event: object, context: LambdaContext) -> CommandResult:
    """Store one movement and its event; a repeated request gets the same identity again."""
    movement = movements.parse_command(event)
    return commit(
        DYNAMODB,
        table=SOURCE_TABLE,
        state=movements.state_of(movement),
        event=movements.event_of(movement),
        request_fields=list(movements.MOVEMENT),
        backoff=Backoff.within(context),
    )
