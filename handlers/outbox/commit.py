"""State and outgoing event, stored together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from botocore.exceptions import ClientError

from outbox import log
from outbox.cancellation import Reason, cancellation_reasons, codes
from outbox.commit_checks import require_request_fields
from outbox.errors import ConflictingRequest, EventIdTakenError, NotStoredError, OutboxRowMissingError
from outbox.items import EXPIRES_AT, Item, guarded_put, require_key
from outbox.outgoing import OutgoingEvent
from outbox.retry import Backoff
from outbox.rows import RowOptions, as_stored_now

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef


class CommandResult(TypedDict):
    """The answer to a command."""

    result: Literal["ACCEPTED", "ALREADY_ACCEPTED"]
    event_id: str


def commit(
    client: DynamoDBClient,
    *,
    table: str,
    state: Item,
    event: OutgoingEvent,
    request_fields: Sequence[str],
    backoff: Backoff,
    row_options: RowOptions | None = None,
) -> CommandResult:
    """Store a new entity and its event in one transaction, or recognise that this was done before.

    `request_fields` are the attributes of the state that repeat the request and never change after;
    only they decide whether an existing entity is this request's, so a shipped order is still accepted.
    Nothing is read and no client token is set: the two conditions decide, however late the retry comes.
    `row_options` say what the outbox row carries; without them, the settings of the function's component do.

    Raises:
        ValueError: `request_fields` names nothing beside the key, or what `state` does not have, or `state` has no
            full key.
        TypeError, ValueError: `state` has a value that DynamoDB never stores (see `outbox.wire`).
        InvalidInputError: The row would be too large.
        ConflictingRequest: The entity exists with other values in `request_fields`.
        EventIdTakenError: The outbox row exists but is not this request's.
        OutboxRowMissingError: The entity exists with the same values, but was stored without its event; never
            where rows have a lifetime, for the row may have gone since.
        NotStoredError: Conflicts or throttling outlasted the invocation, or the answer explained nothing.
        ClientError: DynamoDB refused the call.
    """
    require_key("state", (state.get("PK"), state.get("SK")))
    require_request_fields(request_fields, state)
    event = as_stored_now(event, row_options)
    actions: list[TransactWriteItemTypeDef] = [
        {"Put": guarded_put(table, state)},
        {"Put": guarded_put(table, event.row())},
    ]
    return store(
        client, actions, event, backoff, lambda reasons: _is_accepted(reasons, state, event, request_fields)
    )


def store(
    client: DynamoDBClient,
    actions: Sequence[TransactWriteItemTypeDef],
    event: OutgoingEvent,
    backoff: Backoff,
    is_accepted: Callable[[list[Reason]], bool],
) -> CommandResult:
    """Try one transaction until it is stored, recognised as stored before, or time is short.

    Args:
        client: the low-level client.
        actions: all writes, the event's outbox row among them.
        event: named in the answer.
        backoff: the time there is.
        is_accepted: whether the reasons of a cancelled transaction show this very request; raises what
            they say against it.

    Raises:
        NotStoredError: Conflicts or throttling outlasted the invocation.
        ClientError: DynamoDB refused the call.
    """
    attempt = 0
    while True:
        try:
            backoff.call(client.transact_write_items, TransactItems=actions)
        except ClientError as error:
            reasons = cancellation_reasons(error, actions=len(actions))
            if reasons is None:
                raise
            if is_accepted(reasons):
                return _answer("ALREADY_ACCEPTED", event)
            # What a failed condition means stays open while another action was turned down in passing.
            is_refused = any(reason.is_fault and not reason.condition_failed for reason in reasons)
            if is_refused or not any(reason.is_passing for reason in reasons):
                raise
            if not backoff.pause(attempt):
                raise NotStoredError(
                    f"Event {event.event_id} is not stored ({codes(reasons)}); send the request again."
                ) from error
            attempt += 1
        else:
            return _answer("ACCEPTED", event)


def _is_accepted(
    reasons: list[Reason], state: Item, event: OutgoingEvent, request_fields: Sequence[str]
) -> bool:
    """Whether the failed conditions show this very request, stored earlier."""
    for reason in reasons:
        require_shown(reason, event)
    stored_state, stored_row = (reason.item if reason.condition_failed else None for reason in reasons)
    if stored_state is not None:
        differing = [field for field in request_fields if stored_state.get(field) != state[field]]
        if differing:
            raise ConflictingRequest(
                f"{state['PK']} already exists with another {' and '.join(differing)}; "
                "repeat the first request unchanged, or use a new identity."
            )
    elif stored_row is not None:
        raise EventIdTakenError(
            f"The outbox row of {event.event_id} exists, but not by this request for {state['PK']}; "
            "nothing was written. Compare both items before you send anything again."
        )
    else:
        return False
    # With a matching state the row is this request's own, even if another version wrote its body another way.
    if stored_row is not None or EXPIRES_AT in event.extras:
        return True
    if not any(reason.is_passing or reason.is_fault for reason in reasons[1:]):
        raise OutboxRowMissingError(
            f"{state['PK']} is stored as requested, but without the outbox row of {event.event_id}, so nothing would "
            "send the event; nothing was written. An item from before the outbox gets its event by commit_writes."
        )
    return False


def require_shown(reason: Reason, event: OutgoingEvent) -> None:
    """Raise NotStoredError if a condition failed on an item that the answer does not show."""
    if reason.condition_failed and reason.item is None:
        raise NotStoredError(
            f"Event {event.event_id} met an item that the answer does not show; send the request again."
        )


def _answer(result: Literal["ACCEPTED", "ALREADY_ACCEPTED"], event: OutgoingEvent) -> CommandResult:
    log.line(result, event.event_id, event_id=event.event_id)
    return {"result": result, "event_id": event.event_id}
