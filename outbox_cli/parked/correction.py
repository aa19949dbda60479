"""Corrects an outbox row whose body no queue accepts, or gives its event up.

Writing a row again does not make the relay send it, as its filter lets only new rows pass: the corrected body is put
on the queue here, and a lifetime that has ended is taken from the row. Killed between the two, the event is lost like
any other, and a reconciliation sends it.

Only a stack whose domain is known tells what its consumer takes. So a corrected row says that it is one, and takes
another body for as long as its own is not applied.
"""

import time
from collections.abc import Mapping
from typing import Any

from botocore.exceptions import ClientError

from outbox.errors import InvalidInputError, OutboxError
from outbox.headers import stored_headers
from outbox.items import EXPIRES_AT, ROW_PREFIX
from outbox.reconcile import has_expired
from outbox.sending import read_body
from outbox.transaction import Identity
from outbox_cli.dead_letters.messages import InboxState, identity_in, read_digests, state_of
from outbox_cli.domain import domain_of
from outbox_cli.errors import OperatorError, WrongUseError
from outbox_cli.orders.sending import read_row, require_body, send
from outbox_cli.shown import proposed
from outbox_cli.stack.deployed import Stack

CHANGED = "ConditionalCheckFailedException"
CORRECTED_AT = "corrected_at"
NOT_APPLIED = "it was corrected before, and that body is not applied"


def parked_reason(stack: Stack, event_id: str) -> str:
    """Why the stored body of an event may be replaced: it can never be sent, or is a correction that is not applied.

    Raises:
        OperatorError: no row of the event is stored, or its body can be sent as the source stored it.
    """
    return _parked(stack, event_id)[1]


def correct(stack: Stack, event_id: str, body: str) -> str:
    """Stores the right body in the event's row, puts it on the queue, and returns the id of its message.

    Raises:
        WrongUseError: it is no body of this event.
        OperatorError: the row is not parked, or another content of the event is applied already.
    """
    identity = identity_of(event_id, body)
    row, _ = _parked(stack, event_id)
    if state_of(identity, read_digests(stack, [event_id])) is InboxState.CONFLICTING:
        raise OperatorError(
            f"{event_id} is applied already, with other content than this body has: give the content that was "
            "applied, or go on with the runbook's section Reconciler conflicting."
        )
    # An event whose lifetime has ended is looked for by nobody.
    now = time.time()
    expired = {EXPIRES_AT: None} if has_expired(row, now) else {}
    changes = {"body": {"S": body}, CORRECTED_AT: {"N": str(int(now))}, **expired}
    _update(stack, event_id, row, changes)
    stored = {name: value for name, value in (row | changes).items() if value is not None}
    return send(stack, body, stored_headers(stored))


def give_up(stack: Stack, event_id: str, now: float) -> None:
    """Ends the lifetime of a parked row now (epoch seconds): a reconciliation counts it as expired from then on.

    Raises:
        OperatorError: the row is not parked.
    """
    row, _ = _parked(stack, event_id)
    _update(stack, event_id, row, {EXPIRES_AT: {"N": str(int(now))}})


def identity_of(event_id: str, body: str) -> Identity:
    """The identity that a body has as the event it shall be.

    Raises:
        WrongUseError: no queue accepts it, no consumer can read it, or it is another event.
    """
    require_body(body)
    try:
        identity = identity_in(body)
    except InvalidInputError as error:
        raise WrongUseError(f"No consumer can read this body: {error}.") from error
    if identity.event_id != event_id:
        raise WrongUseError(f"The body is of the event {identity.event_id}, not of {event_id}.")
    return identity


def is_accepted(stack: Stack, body: str) -> bool:
    """Whether the stack's domain accepts a body; False where the domain is not known.

    Raises:
        WrongUseError: the consumer would refuse it.
    """
    domain = domain_of(stack)
    if domain is None:
        return False
    try:
        domain.parse(body)
    except OutboxError as error:
        raise WrongUseError(f"The consumer of this stack would refuse this body: {error}.") from error
    return True


def _key(event_id: str) -> dict[str, Any]:
    return {"PK": {"S": ROW_PREFIX + event_id}, "SK": {"S": "EVENT"}}


def _parked(stack: Stack, event_id: str) -> tuple[dict[str, Any], str]:
    """The row in wire form, and why its body may be replaced."""
    row = read_row(stack, event_id)
    if row is None:
        raise OperatorError(
            f"No outbox row of {event_id!r} is stored: `outbox reconcile` names the events that are parked."
        )
    body, problem = read_body(row)
    if problem is None and CORRECTED_AT in row:
        applied = state_of(identity_in(body), read_digests(stack, [event_id])) is InboxState.APPLIED
        problem = None if applied else NOT_APPLIED
    if problem is None:
        raise OperatorError(
            f"The stored body of {event_id} can be sent as it is: {proposed('outbox trace', event_id)} shows its way."
        )
    return row, problem


def _update(
    stack: Stack, event_id: str, row: dict[str, Any], changes: Mapping[str, dict[str, str] | None]
) -> None:
    """Sets attributes, or removes one by None, if body and expires_at are still as they were read."""
    compared = ("body", EXPIRES_AT)
    old = {f":old_{name}": row[name] for name in compared if name in row}
    new = {f":{name}": value for name, value in changes.items() if value is not None}
    sets = [f"#{name} = :{name}" for name, value in changes.items() if value is not None]
    removals = [f" REMOVE #{name}" for name, value in changes.items() if value is None]
    unchanged = [
        f"#{name} = :old_{name}" if name in row else f"attribute_not_exists(#{name})" for name in compared
    ]
    try:
        stack.clients("dynamodb").update_item(
            TableName=stack["source_table_name"],
            Key=_key(event_id),
            UpdateExpression=f"SET {', '.join(sets)}{''.join(removals)}",
            ConditionExpression=" AND ".join(["attribute_exists(PK)", *unchanged]),
            ExpressionAttributeNames={f"#{name}": name for name in {*compared, *changes}},
            ExpressionAttributeValues=new | old,
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    except ClientError as error:
        if error.response["Error"]["Code"] != CHANGED:
            raise
        found: Any = error.response.get("Item") or {}
        wanted = {**row, **changes}
        # The SDK sends a change again whose answer was lost: its own change proves that it is made.
        if not found or any(found.get(name) != wanted.get(name) for name in compared):
            raise OperatorError(f"The row of {event_id} changed meanwhile: repeat the command.") from error
