"""State and outgoing event, stored together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TypedDict

from outbox import log
from outbox.cancellation import Reason
from outbox.commit_checks import require_request_fields
from outbox.errors import ConflictingRequest, EventIdTakenError, NotStoredError, OutboxRowMissingError
from outbox.items import EXPIRES_AT, Item, guarded_put, require_key
from outbox.outcome import Reasons, transact
from outbox.outgoing import OutgoingEvent
from outbox.retry import Backoff
from outbox.rows import RowOptions, as_stored_now
from outbox.wire import as_stored

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
        CallRefusedError: DynamoDB refused the call, whatever is stored.
        NotStoredError: No service answered, conflicts or throttling outlasted the invocation, or the answer
            explained nothing.
    """
    require_key("state", (state.get("PK"), state.get("SK")))
    require_request_fields(request_fields, state)
    event = as_stored_now(event, row_options)
    actions: list[TransactWriteItemTypeDef] = [
        {"Put": guarded_put(table, state)},
        {"Put": guarded_put(table, event.row())},
    ]

    def differing(stored: Item) -> list[str]:
        return [field for field in request_fields if stored.get(field) != as_stored(state[field])]

    def is_proved(reasons: Reasons) -> bool:
        of_state, of_row = reasons
        if of_state.item is None or differing(of_state.item):
            return False
        # With a matching state the row is this request's own, even if another version wrote its body another way.
        return of_row.item is not None or EXPIRES_AT in event.extras

    def refuse(reasons: Reasons) -> None:
        for reason in reasons:
            require_shown(reason, event)
        of_state, of_row = reasons
        if of_state.item is not None and (names := differing(of_state.item)):
            raise ConflictingRequest(
                f"{state['PK']} already exists with another {' and '.join(names)}; "
                "repeat the first request unchanged, or use a new identity."
            )
        if of_row.item is not None:
            raise EventIdTakenError(
                f"The outbox row of {event.event_id} exists, but not by this request for {state['PK']}; "
                "nothing was written. Compare both items before you send anything again."
            )
        if of_state.item is not None:
            raise OutboxRowMissingError(
                f"{state['PK']} is stored as requested, but without the outbox row of {event.event_id}, so nothing "
                "would send the event; nothing was written. An item from before the outbox gets its event by "
                "commit_writes."
            )

    return store(client, actions, event, backoff, is_proved=is_proved, refuse=refuse)


def store(
    client: DynamoDBClient,
    actions: Sequence[TransactWriteItemTypeDef],
    event: OutgoingEvent,
    backoff: Backoff,
    *,
    is_proved: Callable[[Reasons], bool],
    refuse: Callable[[Reasons], object],
) -> CommandResult:
    """Store the actions, with the event's outbox row among them, and answer the command; see `outbox.outcome`."""
    try:
        is_new = transact(
            client, actions, backoff, subject=f"Event {event.event_id}", is_proved=is_proved, refuse=refuse
        )
    except NotStoredError as error:
        # Lambda logs the last error alone, and the first cause is what an operator needs.
        log.line(
            "NOT_STORED", event.event_id, str(error.__cause__ or error), event_id=event.event_id, level="WARN"
        )
        raise
    return _answer("ACCEPTED" if is_new else "ALREADY_ACCEPTED", event)


def require_shown(reason: Reason, event: OutgoingEvent) -> None:
    """Raise NotStoredError if a condition failed on an item that the answer does not show."""
    if reason.condition_failed and reason.item is None:
        raise NotStoredError(
            f"Event {event.event_id} met an item that the answer does not show; send the request again."
        )


def _answer(result: Literal["ACCEPTED", "ALREADY_ACCEPTED"], event: OutgoingEvent) -> CommandResult:
    log.line(result, event.event_id, event_id=event.event_id)
    return {"result": result, "event_id": event.event_id}
