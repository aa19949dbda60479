"""A changed entity, or writes of one's own, stored together with their event or not at all.

The outbox row keeps the digest of the request that wrote it. That is how a repeated request is known again
whatever has become of the entity since: as long as the row is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from outbox.canonical import digest
from outbox.commit import CommandResult, require_shown, store
from outbox.commit_checks import require_attributes, require_request, require_writes
from outbox.errors import (
    ConflictingRequest,
    InvalidInputError,
    VersionConflictError,
    WriteRefusedError,
    describe,
)
from outbox.guards import Expected, Unset, guarded, unmet
from outbox.items import Item, guarded_put, require_key
from outbox.outcome import Reasons
from outbox.outgoing import OutgoingEvent
from outbox.retry import Backoff
from outbox.rows import RowOptions, as_stored_now
from outbox.wire import to_wire

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

VERSION = "version"


def commit_update(
    client: DynamoDBClient,
    *,
    table: str,
    state: Item,
    expected_version: int,
    event: OutgoingEvent,
    request: Mapping[str, object],
    backoff: Backoff,
    unchanged: Sequence[str] = (),
    row_options: RowOptions | None = None,
) -> CommandResult:
    """Replace an entity by its next version and store the event, if nobody changed the entity meanwhile.

    The whole item is replaced, so only `dynamodb:PutItem` is needed and nothing is read: an attribute that
    `state` leaves out is gone.

    Args:
        client: the low-level client.
        table: the table of entity and outbox row.
        state: the whole entity with PK and SK; its `version` is set here, to `expected_version` + 1.
        expected_version: the `version` that must be stored; 0 for an entity stored without one.
        event: what to tell; its id belongs to this request alone.
        request: the request's own fields. A repetition with the same fields is accepted again.
        backoff: the time there is.
        unchanged: attributes of `state` that must be stored already with the same values.
        row_options: what the outbox row carries; without them, the settings of the function's component say it.

    Raises:
        ValueError: `request` is empty, `unchanged` names what `state` does not have, or the version, or `state`
            has no full key.
        TypeError, ValueError: `state` has a value that DynamoDB never stores (see `outbox.wire`).
        InvalidInputError: `expected_version` is no whole number from 0, or the row would be too large.
        ConflictingRequest: The event was accepted for another request, or an `unchanged` attribute differs.
        VersionConflictError: The entity is stored at another version, or not at all; names both.
        CallRefusedError: DynamoDB refused the call, whatever is stored.
        NotStoredError: No service answered, conflicts or throttling outlasted the time, or the answer
            explained nothing.
    """
    if type(expected_version) is not int or expected_version < 0:
        raise InvalidInputError(
            f"expected_version must be a whole number from 0, but is {describe(expected_version)}"
        )
    require_key("state", (state.get("PK"), state.get("SK")))
    require_attributes("unchanged", unchanged, state)
    if VERSION in unchanged:
        raise ValueError(
            f"unchanged names {VERSION!r}, which every update changes; expected_version guards it"
        )
    # That PK equals itself holds for every stored item, and for none that is missing.
    expected: dict[str, Any] = {VERSION: expected_version or None, "PK": state["PK"]}
    expected |= {name: Unset() if state[name] is None else state[name] for name in unchanged}
    item = to_wire({**state, VERSION: expected_version + 1})
    put: TransactWriteItemTypeDef = {"Put": guarded({"TableName": table, "Item": item}, expected)}

    def judge(reasons: Reasons) -> None:
        if reasons[0].condition_failed:
            _refuse_state(state, expected, expected_version, reasons[0].item)

    event = as_stored_now(event, row_options)
    return _commit(client, table, [put], judge, event=event, request=request, backoff=backoff)


def commit_writes(
    client: DynamoDBClient,
    *,
    table: str,
    writes: Sequence[TransactWriteItemTypeDef],
    event: OutgoingEvent,
    request: Mapping[str, object],
    backoff: Backoff,
    row_options: RowOptions | None = None,
) -> CommandResult:
    """Store writes of one's own, to any tables of the account and region, together with their event.

    Args:
        client: the low-level client.
        table: the table of the outbox rows, with a stream that a relay reads.
        writes: actions of TransactWriteItems, 1 to 99, in the form of the low-level client.
        event: what to tell; its id belongs to this request alone.
        request: the request's own fields. A repetition with the same fields is accepted again.
        backoff: the time there is.
        row_options: what the outbox row carries; without them, the settings of the function's component say it.

    Raises:
        ValueError: `request` is empty, or `writes` are not 1 to 99 actions.
        InvalidInputError: The row would be too large.
        ConflictingRequest: The event was accepted for another request.
        WriteRefusedError: The condition of one of the writes failed, and the request was not accepted before.
        CallRefusedError: DynamoDB refused the call, whatever is stored.
        NotStoredError: No service answered, conflicts or throttling outlasted the time, or the answer
            explained nothing.
    """
    require_writes(writes)

    def judge(reasons: Reasons) -> None:
        for index, reason in enumerate(reasons):
            if reason.condition_failed:
                raise WriteRefusedError(
                    f"{event.event_id} is not stored: the condition of write {index} failed; "
                    "decide anew from what is stored now.",
                    index,
                    reason.item,
                )

    event = as_stored_now(event, row_options)
    return _commit(client, table, writes, judge, event=event, request=request, backoff=backoff)


def _commit(
    client: DynamoDBClient,
    table: str,
    writes: Sequence[TransactWriteItemTypeDef],
    judge: Callable[[Reasons], None],
    *,
    event: OutgoingEvent,
    request: Mapping[str, object],
    backoff: Backoff,
) -> CommandResult:
    """One transaction of the writes and the row; `judge` raises what the writes' reasons say."""
    require_request(request)
    request_digest = digest(request)
    row: TransactWriteItemTypeDef = {"Put": guarded_put(table, event.row(request_digest))}

    # The row's word goes first: of a repeated request the writes' own conditions fail as well.
    def is_proved(reasons: Reasons) -> bool:
        stored = reasons[-1].item
        return stored is not None and stored.get("request_digest") == request_digest

    def refuse(reasons: Reasons) -> None:
        require_shown(reasons[-1], event)
        if reasons[-1].condition_failed:
            raise ConflictingRequest(
                f"{event.event_id} was accepted before for another request; "
                "repeat the first request unchanged, or use a new identity."
            )
        judge(reasons[:-1])

    return store(client, [*writes, row], event, backoff, is_proved=is_proved, refuse=refuse)


def _refuse_state(
    state: Item, expected: Expected, expected_version: int, found: Mapping[str, object] | None
) -> None:
    place = f"{state['PK']}/{state['SK']}"
    if found is None:
        raise VersionConflictError(
            f"{place} was expected at version {expected_version}, but is not stored; create it first."
        )
    differing = unmet(expected, found)
    if VERSION in differing:
        raise VersionConflictError(
            f"{place} was expected at version {expected_version}, but is stored at version "
            f"{found.get(VERSION, 0)}; read it again and decide anew."
        )
    raise ConflictingRequest(
        f"{place} is stored with another {' and '.join(differing)} than the request has; "
        "repeat what is stored, or use another identity."
    )
