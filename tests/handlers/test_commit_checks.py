"""Arguments that contradict themselves are refused at the first call, not at the retry that they would spoil."""

from typing import Any

import pytest

from outbox.commit import commit
from outbox.commit_changes import commit_update, commit_writes
from outbox.outgoing import OutgoingEvent
from tests.handlers.support import SOURCE_TABLE, Clock, Recorder

STATE = {"PK": "PARCEL#1", "SK": "STATE", "weight": 5, "version": 1}
WRITE = {"Put": {"TableName": SOURCE_TABLE, "Item": {"PK": {"S": "A"}, "SK": {"S": "B"}}}}
CREATE: dict[str, Any] = {"state": STATE, "request_fields": ["weight"]}
CHANGE: dict[str, Any] = {"state": STATE, "expected_version": 1, "request": {"a": 1}}
WRITES: dict[str, Any] = {"writes": [WRITE], "request": {"a": 1}}


@pytest.mark.parametrize(
    ("call", "arguments", "sentence"),
    [
        (
            commit,
            CREATE | {"request_fields": ["wieght"]},
            "request_fields names 'wieght', which state does not",
        ),
        (commit, CREATE | {"request_fields": []}, "request_fields is empty: another request"),
        (
            commit,
            CREATE | {"request_fields": ["SK", "PK"]},
            "request_fields has PK and SK at most: another request",
        ),
        (
            commit,
            CREATE | {"request_fields": "weight"},
            r"must be a list of names, but is one text; write \['w",
        ),
        (commit, CREATE | {"state": {"PK": "A", "weight": 5}}, "state needs SK"),
        (commit, CREATE | {"state": {**STATE, "PK": ""}}, "state needs PK"),
        (
            commit,
            CREATE | {"state": {**STATE, "PK": "é" * 1_025}},
            "state needs PK, a text of 1 to 2048 UTF-8 bytes; it has str of length 1025",
        ),
        (
            commit_update,
            CHANGE | {"state": {**STATE, "SK": "\ud800"}},
            "state needs SK, .* half a surrogate pair",
        ),
        (commit_update, CHANGE | {"request": {}}, "request must be a mapping with the request's own fields"),
        (commit_update, CHANGE | {"request": None}, "request must be a mapping .* but is null"),
        (commit_update, CHANGE | {"unchanged": ["wieght"]}, "unchanged names 'wieght', which state does not"),
        (commit_update, CHANGE | {"unchanged": "weight"}, "unchanged must be a list of names"),
        (
            commit_update,
            CHANGE | {"unchanged": iter(["weight"])},
            "unchanged must be a list of names, but is",
        ),
        (
            commit,
            CREATE | {"request_fields": iter(["weight"])},
            "request_fields must be a list of names, but",
        ),
        (commit_update, CHANGE | {"unchanged": ["version"]}, "unchanged names 'version', which every update"),
        (commit_update, CHANGE | {"state": {"weight": 5}}, "state needs PK"),
        (commit_writes, WRITES | {"request": {}}, "request must be a mapping"),
        (
            commit_writes,
            WRITES | {"writes": []},
            "writes must be a list of 1 to 99 actions, but is list of length 0",
        ),
        (commit_writes, WRITES | {"writes": [WRITE] * 100}, "writes must be a list of 1 to 99 .* length 100"),
        (commit_writes, WRITES | {"writes": WRITE}, "writes must be a list"),
        (
            commit_writes,
            WRITES | {"writes": [WRITE, {"put": {}}]},
            "write 1 must be an object with exactly one of",
        ),
        (
            commit_writes,
            WRITES | {"writes": [{**WRITE, "Update": {}}]},
            "write 0 must be an object with exactly",
        ),
    ],
)
def test_contradictory_arguments_are_refused_before_any_call(
    call: Any, arguments: dict[str, Any], sentence: str
) -> None:
    client = Recorder(None)
    event = OutgoingEvent("parcel:1", "{}")

    with pytest.raises(ValueError, match=sentence):
        call(client, table=SOURCE_TABLE, event=event, backoff=Clock().backoff(), **arguments)

    assert client.calls == []
