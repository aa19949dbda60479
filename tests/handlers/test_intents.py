"""Intents: stored with the marker or not at all, performed at least once, marked after."""

import json
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from outbox.errors import CallRefusedError, InvalidInputError
from outbox.intents import Intent, intent, mark_done, open_intents, perform_intents
from outbox.transaction import IncomingEvent
from outbox.wire import to_wire
from tests.handlers.support import (
    CONFLICT,
    PROJECTION_TABLE,
    Clock,
    Recorder,
    cancelled,
    deliver,
    error,
    items,
    messages,
)


def _parse(body: str) -> IncomingEvent:
    content = json.loads(body)
    return IncomingEvent.of(content["id"], content, [intent(content["id"], "send-mail", {"to": "x"})])


def _store(client: Any, *ids: str) -> list[str]:
    return deliver(client, messages(*(json.dumps({"id": each}) for each in ids)), parse=_parse)


def _perform(client: Any, call: Any, clock: Clock | None = None) -> Any:
    backoff = (clock or Clock()).backoff()
    return perform_intents(client, table=PROJECTION_TABLE, name="send-mail", call=call, backoff=backoff)


def _open(client: Any) -> list[str]:
    return [each.event_id for each in open_intents(client, table=PROJECTION_TABLE, name="send-mail")]


def test_intent_is_stored_with_its_marker_once_however_often_it_is_delivered(dynamodb: Any) -> None:
    reported = [_store(dynamodb, "a") for _ in range(2)]

    assert reported == [[], []]
    assert _open(dynamodb) == ["a"]


def test_intents_are_performed_with_a_key_of_their_own_and_marked(dynamodb: Any) -> None:
    _store(dynamodb, "a", "b")
    calls: list[Intent] = []

    first, second = _perform(dynamodb, calls.append), _perform(dynamodb, calls.append)

    assert (first.done, first.failed, second.done) == (["a", "b"], [], [])
    assert [(each.idempotency_key, each.details) for each in calls] == [
        ("send-mail:a", {"to": "x"}),
        ("send-mail:b", {"to": "x"}),
    ]
    assert {"INTENT#send-mail#DONE"} < set(items(dynamodb, PROJECTION_TABLE))


def test_performed_event_delivered_again_stores_no_second_intent(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    _perform(dynamodb, lambda _: None)

    reported = _store(dynamodb, "a")

    assert (reported, _open(dynamodb)) == ([], [])


def test_call_that_fails_leaves_its_intent_open_and_the_others_done(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    _store(dynamodb, "a", "b")

    def call(each: Intent) -> None:
        if each.event_id == "a":
            raise OSError("no mail today")

    performed = _perform(dynamodb, call)

    assert (performed.done, performed.failed, _open(dynamodb)) == (["b"], ["a"], ["a"])
    said = capsys.readouterr()
    assert "INTENT_RETRY send-mail a OSError" in said.out
    assert "no mail today" in said.err


def test_d4_worker_that_dies_between_call_and_mark_calls_again_with_the_same_key(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    keys: list[str] = []

    class Died(BaseException):
        pass

    def note(each: Intent) -> None:
        keys.append(each.idempotency_key)

    class Dying:
        get_paginator = dynamodb.get_paginator

        def transact_write_items(self, **_: Any) -> None:
            raise Died

    with pytest.raises(Died):
        _perform(Dying(), note)
    _perform(dynamodb, note)

    assert keys == ["send-mail:a", "send-mail:a"]
    assert _open(dynamodb) == []


def test_intent_stored_again_after_its_mark_is_closed_and_holds_up_no_other(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    _perform(dynamodb, lambda _: None)
    dynamodb.delete_item(TableName=PROJECTION_TABLE, Key={"PK": {"S": "INBOX#a"}, "SK": {"S": "EVENT"}})
    _store(dynamodb, "a", "b")
    calls: list[Intent] = []

    first, second = _perform(dynamodb, calls.append), _perform(dynamodb, calls.append)

    assert (first.done, first.failed, second.done) == (["a", "b"], [], [])
    assert [each.event_id for each in calls] == ["a", "b"]


class _Marks:
    """A client whose transactions alone follow a script; it finds what is stored."""

    def __init__(self, client: Any, *script: Any, default: Any = None) -> None:
        self.get_paginator = client.get_paginator
        self.recorder = Recorder(client, *script, default=default)
        self.transact_write_items = self.recorder.transact_write_items


@pytest.mark.parametrize(
    "refusal",
    [cancelled(CONFLICT, "None"), cancelled("None", "ThrottlingError"), error("ThrottlingException")],
    ids=["conflict", "throttled action", "throttled call"],
)
def test_mark_that_meets_a_passing_reason_is_tried_again_and_the_call_is_not(
    dynamodb: Any, refusal: Exception
) -> None:
    _store(dynamodb, "a", "b")
    calls: list[Intent] = []
    clock = Clock()

    performed = _perform(_Marks(dynamodb, refusal, refusal), calls.append, clock)

    assert (performed.done, performed.failed, _open(dynamodb)) == (["a", "b"], [], [])
    assert [each.event_id for each in calls] == ["a", "b"]
    assert len(clock.pauses) == 2


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        (error("AccessDeniedException"), "CallRefusedError"),
        (cancelled("None", "ItemCollectionSizeLimitExceeded"), "CallRefusedError"),
        (cancelled("None", "None"), "NotStoredError"),
        (ReadTimeoutError(endpoint_url="https://example.com"), "NotStoredError"),
    ],
    ids=["refused", "faulty", "unexplained", "no answer"],
)
def test_mark_that_fails_leaves_its_intent_open_and_the_others_done(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], refusal: Exception, told: str
) -> None:
    _store(dynamodb, "a", "b")

    performed = _perform(_Marks(dynamodb, refusal), lambda _: None)

    assert (performed.done, performed.failed, _open(dynamodb)) == (["b"], ["a"], ["a"])
    assert f"INTENT_RETRY send-mail a {told}" in capsys.readouterr().out


def test_mark_that_conflicts_until_the_time_is_short_leaves_its_intent_open(dynamodb: Any) -> None:
    _store(dynamodb, "a")

    performed = _perform(_Marks(dynamodb, default=cancelled(CONFLICT, "None")), lambda _: None)

    assert (performed.done, performed.failed, _open(dynamodb)) == ([], ["a"], ["a"])


def test_no_call_is_made_when_the_time_is_short(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    calls: list[Intent] = []

    performed = _perform(dynamodb, calls.append, Clock(remaining=1.0))

    assert (performed.done, performed.failed, calls, _open(dynamodb)) == ([], [], [], ["a"])


def test_two_workers_at_once_both_end_with_everything_done(dynamodb: Any) -> None:
    _store(dynamodb, "a", "b")
    keys: list[str] = []
    other: list[Any] = []

    def call(each: Intent) -> None:
        keys.append(each.idempotency_key)
        if not other:  # the other worker runs from start to end between this one's call and its mark
            other.append(None)
            other[0] = _perform(dynamodb, call)

    performed = _perform(dynamodb, call)

    assert [performed.done, other[0].done] == [["a", "b"], ["a", "b"]]
    assert (performed.failed, other[0].failed, _open(dynamodb)) == ([], [], [])
    assert keys == ["send-mail:a", "send-mail:a", "send-mail:b", "send-mail:b"]


def test_two_workers_that_close_one_intent_stored_again_are_both_content(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    [found] = open_intents(dynamodb, table=PROJECTION_TABLE, name="send-mail")
    mark_done(dynamodb, table=PROJECTION_TABLE, intent=found)
    dynamodb.delete_item(TableName=PROJECTION_TABLE, Key={"PK": {"S": "INBOX#a"}, "SK": {"S": "EVENT"}})
    _store(dynamodb, "a")

    marked = [mark_done(dynamodb, table=PROJECTION_TABLE, intent=found) for _ in range(2)]

    assert (marked, _open(dynamodb)) == ([False, False], [])


def test_intent_marked_by_another_worker_is_not_marked_twice(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    [found] = open_intents(dynamodb, table=PROJECTION_TABLE, name="send-mail")

    marked = [mark_done(dynamodb, table=PROJECTION_TABLE, intent=found) for _ in range(2)]

    assert marked == [True, False]


def test_mark_that_is_refused_raises_and_leaves_the_intent_open(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    [found] = open_intents(dynamodb, table=PROJECTION_TABLE, name="send-mail")
    client = Recorder(dynamodb, error("AccessDeniedException"))

    with pytest.raises(CallRefusedError, match=r"mark of intent send-mail:a is refused .*AccessDenied"):
        mark_done(client, table=PROJECTION_TABLE, intent=found)  # type: ignore[arg-type] # stands for a client

    assert _open(dynamodb) == ["a"]


@pytest.mark.parametrize("name", ["", "Send", "a#b", "a" * 41])
def test_intent_with_a_name_that_cannot_be_part_of_a_key_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="An intent's name has 1-40 lowercase letters"):
        intent("e", name, {})


@pytest.mark.parametrize(
    ("foreign", "failed"),
    [({}, []), ({"kind": "NOTE"}, []), ({"kind": "INTENT"}, ["0"]), ({"kind": "INTENT", "body": 1}, ["0"])],
)
def test_foreign_row_among_the_intents_holds_up_none_of_them(
    dynamodb: Any, foreign: dict[str, Any], failed: list[str]
) -> None:
    _store(dynamodb, "a")
    row = {"PK": "INTENT#send-mail", "SK": "0", **foreign}
    dynamodb.put_item(TableName=PROJECTION_TABLE, Item=to_wire(row))

    performed = _perform(dynamodb, lambda each: each.details["to"])

    assert (performed.done, performed.failed) == (["a"], failed)
