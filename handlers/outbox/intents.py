"""What has to happen outside the database, stored with the event's marker and performed later, at least once.

A payment or an e-mail is in no transaction. So the consumer stores the intent, and a worker of yours makes the
call with a key by which the other side recognises a repetition, then marks the intent. A worker may die between
the two: the call is then made again, with the same key.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from outbox import log
from outbox.canonical import canonical_json
from outbox.effects import Put
from outbox.errors import InvalidInputError, OutOfTimeError
from outbox.guards import guarded
from outbox.items import Item, guarded_put, require_event_id
from outbox.outcome import Reasons, transact
from outbox.retry import Backoff
from outbox.wire import from_wire, to_wire

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_dynamodb.type_defs import TransactWriteItemTypeDef

# For a mark whose caller names no time: some tries after a conflict, then the next run.
MARK_SECONDS = 10.0

_NAME = re.compile(r"[a-z0-9-]{1,40}")


def intent(event_id: str, name: str, details: Mapping[str, object]) -> Put:
    """The effect that stores what is to be done for an event, once for each name.

    Args:
        event_id: the event's.
        name: what is to be done, such as `send-mail`; workers ask for it.
        details: what the call needs, as JSON.

    Raises:
        InvalidInputError: the name is not 1-40 lowercase letters, digits or hyphens, or the id cannot be part of a key.
    """
    require_event_id(event_id)
    if not _NAME.fullmatch(name):
        raise InvalidInputError(f"An intent's name has 1-40 lowercase letters, digits or hyphens: {name!r}")
    return Put(_row(name, event_id, canonical_json(details)))


@dataclass(frozen=True)
class Intent:
    """An intent that is stored and not marked."""

    name: str
    event_id: str
    body: str

    @property
    def idempotency_key(self) -> str:
        """What the other side recognises a repetition by: the same at every try, and no other intent's."""
        return f"{self.name}:{self.event_id}"

    @property
    def details(self) -> Any:
        """What the call needs."""
        return json.loads(self.body)


@dataclass(frozen=True)
class Performed:
    """What one run did: the ids of the events whose intent was performed and marked, and of those still open."""

    done: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)


def perform_intents(
    client: DynamoDBClient,
    *,
    table: str,
    name: str,
    call: Callable[[Intent], object],
    backoff: Backoff | None = None,
) -> Performed:
    """Make the call for every open intent of a name and mark those that came back; the others stay open.

    Needs `dynamodb:Query`, `dynamodb:PutItem` and `dynamodb:DeleteItem` on the table.

    Args:
        client: the low-level client.
        table: the consumer's projection table.
        name: the intents' name.
        call: makes the call with the intent's `idempotency_key`; an exception leaves the intent open.
        backoff: the time there is; no call is made when it is short. Without it, there is time for all.

    Raises:
        ClientError: The open intents could not be read; those performed so far are marked.
    """
    performed = Performed()
    for each in _in_time(open_intents(client, table=table, name=name), backoff or Backoff(lambda: math.inf)):
        try:
            call(each)
            mark_done(client, table=table, intent=each, backoff=backoff)
        except Exception as error:  # noqa: BLE001 - one intent's failure must not keep the others from being performed
            log.line(
                "INTENT_RETRY",
                name,
                each.event_id,
                type(error).__name__,
                event_id=each.event_id,
                level="WARN",
            )
            log.unexpected(error)
            performed.failed.append(each.event_id)
        else:
            log.line("INTENT_DONE", name, each.event_id, event_id=each.event_id)
            performed.done.append(each.event_id)
    return performed


def open_intents(client: DynamoDBClient, *, table: str, name: str) -> Iterator[Intent]:
    """The intents of a name that are not marked, in the order of their events' ids."""
    pages = client.get_paginator("query").paginate(
        TableName=table,
        KeyConditionExpression="PK = :pk",
        ExpressionAttributeValues={":pk": {"S": _partition(name)}},
        ConsistentRead=True,
    )
    for page in pages:
        for item in map(from_wire, page["Items"]):
            if item.get("kind") == "INTENT":  # and no other program's
                yield Intent(name, item["SK"], item.get("body", ""))


def mark_done(client: DynamoDBClient, *, table: str, intent: Intent, backoff: Backoff | None = None) -> bool:
    """Move an intent to those that are done; say whether this call did it, or it was marked before.

    Moved, so that a look at what is open costs nothing for what is done. An intent can be stored again after it
    was marked, when its event's marker is gone and the event comes again: it is closed, and the first mark stays.

    Args:
        client: the low-level client.
        table: the consumer's projection table.
        intent: one of `open_intents`.
        backoff: the time for another try after conflicts and throttling; without it, MARK_SECONDS.

    Raises:
        NotStoredError: DynamoDB refused the call, no service answered, or conflicts outlasted the time; the intent
            stays open, or is marked without this call knowing it.
    """
    backoff = backoff or Backoff.lasting(MARK_SECONDS)
    row = _row(intent.name, intent.event_id, intent.body)
    key = {name: row[name] for name in ("PK", "SK")}
    done = {**row, "PK": f"{row['PK']}#DONE", "kind": "INTENT_DONE"}
    close: TransactWriteItemTypeDef = {
        "Delete": guarded({"TableName": table, "Key": to_wire(key)}, {"kind": "INTENT"})
    }
    put: TransactWriteItemTypeDef = {"Put": guarded_put(table, done)}
    subject = f"The mark of intent {intent.idempotency_key}"
    if transact(client, [close, put], backoff, subject=subject, is_proved=_is_marked):
        return True
    # Whatever else the first answer said: with the mark stored, only an open intent is left to close.
    transact(client, [close], backoff, subject=subject, is_proved=_is_marked)
    return False


def _is_marked(reasons: Reasons) -> bool:
    return any(reason.condition_failed for reason in reasons)


def _in_time(intents: Iterator[Intent], backoff: Backoff) -> Iterator[Intent]:
    """Intents as long as there is time for a call, to read the next of them or to mark one."""
    with suppress(OutOfTimeError):
        while (each := backoff.call(next, intents, None)) is not None:
            yield each


def _row(name: str, event_id: str, body: str) -> Item:
    return {"PK": _partition(name), "SK": event_id, "kind": "INTENT", "event_id": event_id, "body": body}


def _partition(name: str) -> str:
    return f"INTENT#{name}"
