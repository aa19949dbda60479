"""Intents: stored with the marker or not at all, performed at least once, marked after."""

import json
from typing import Any

import pytest

from outbox.errors import InvalidInputError
from outbox.intents import Intent, intent, mark_done, open_intents, perform_intents
from outbox.transaction import IncomingEvent
from tests.handlers.support import PROJECTION_TABLE, Recorder, deliver, error, items, messages


def _parse(body: str) -> IncomingEvent:
    content = json.loads(body)
    return IncomingEvent.of(content["id"], content, [intent(content["id"], "send-mail", {"to": "x"})])


def _store(client: Any, *ids: str) -> list[str]:
    return deliver(client, messages(*(json.dumps({"id": each}) for each in ids)), parse=_parse)


def _perform(client: Any, call: Any) -> Any:
    return perform_intents(client, table=PROJECTION_TABLE, name="send-mail", call=call)


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


def test_intent_marked_by_another_worker_is_not_marked_twice(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    [found] = open_intents(dynamodb, table=PROJECTION_TABLE, name="send-mail")

    marked = [mark_done(dynamodb, table=PROJECTION_TABLE, intent=found) for _ in range(2)]

    assert marked == [True, False]


def test_mark_that_is_refused_raises_and_leaves_the_intent_open(dynamodb: Any) -> None:
    _store(dynamodb, "a")
    [found] = open_intents(dynamodb, table=PROJECTION_TABLE, name="send-mail")
    client = Recorder(dynamodb, error("AccessDeniedException"))

    with pytest.raises(type(error("x"))):
        mark_done(client, table=PROJECTION_TABLE, intent=found)  # type: ignore[arg-type] # stands for a client

    assert _open(dynamodb) == ["a"]


@pytest.mark.parametrize("name", ["", "Send", "a#b", "a" * 41])
def test_intent_with_a_name_that_cannot_be_part_of_a_key_is_refused(name: str) -> None:
    with pytest.raises(InvalidInputError, match="An intent's name has 1-40 lowercase letters"):
        intent("e", name, {})
