"""Command function: reserve stock or, with the version that is expected to be stored, ship a reservation."""

import os
from collections.abc import Mapping

from inventory import RESERVATION, RESERVED, SHIPMENT, SHIPPED, state_of
from outbox.clients import dynamodb_client
from outbox.commit import CommandResult, commit
from outbox.commit_changes import commit_update
from outbox.fields import read_fields
from outbox.invocation import LambdaContext
from outbox.retry import Backoff
from outbox.settings import required

SOURCE_TABLE = required(os.environ, "SOURCE_TABLE", "the name of the source table")
DYNAMODB = dynamodb_client()


def lambda_handler(event: object, context: LambdaContext) -> CommandResult:
    """Accept one command; a repeated one gets the same identity again."""
    is_shipment = isinstance(event, Mapping) and "expected_version" in event
    return _ship(event, Backoff.within(context)) if is_shipment else _reserve(event, Backoff.within(context))


def _reserve(command: object, backoff: Backoff) -> CommandResult:
    fields = read_fields(command, "A reservation", RESERVATION)
    return commit(
        DYNAMODB,
        table=SOURCE_TABLE,
        state={**state_of(fields, "RESERVED"), "version": 1},
        event=RESERVED.event(f"stock-reserved:{fields['reservation_id']}", fields),
        request_fields=list(RESERVATION),
        backoff=backoff,
    )


def _ship(command: object, backoff: Backoff) -> CommandResult:
    request = read_fields(command, "A shipment", SHIPMENT)
    fields = {name: request[name] for name in RESERVATION}
    return commit_update(
        DYNAMODB,
        table=SOURCE_TABLE,
        state=state_of(fields, "SHIPPED"),
        expected_version=request["expected_version"],
        unchanged=list(RESERVATION),
        event=SHIPPED.event(f"reservation-shipped:{fields['reservation_id']}", fields),
        request=request,
        backoff=backoff,
    )
