"""Arguments that contradict themselves are refused at the first call, not at the retry that they would spoil."""

from typing import Any

import pytest

from tests.handlers.commands import STATE, WRITE, send
from tests.handlers.support import Recorder


@pytest.mark.parametrize(
    ("command", "arguments", "sentence"),
    [
        (
            "commit",
            {"request_fields": ["szie"]},
            "request_fields names 'szie', which state does not",
        ),
        ("commit", {"request_fields": []}, "request_fields is empty: another request"),
        (
            "commit",
            {"request_fields": ["SK", "PK"]},
            "request_fields has PK and SK at most: another request",
        ),
        (
            "commit",
            {"request_fields": "size"},
            r"must be a list of names, but is one text; write \['s",
        ),
        ("commit", {"state": {"PK": "A", "size": 5}}, "state needs SK"),
        ("commit", {"state": {**STATE, "PK": ""}}, "state needs PK"),
        (
            "commit",
            {"state": {**STATE, "PK": "é" * 1_025}},
            "state needs PK, a text of 1 to 2048 UTF-8 bytes; it has str of length 1025",
        ),
        (
            "commit_update",
            {"state": {**STATE, "SK": "\ud800"}},
            "state needs SK, .* half a surrogate pair",
        ),
        ("commit_update", {"request": {}}, "request must be a mapping with the request's own fields"),
        ("commit_update", {"request": None}, "request must be a mapping .* but is null"),
        ("commit_update", {"unchanged": ["szie"]}, "unchanged names 'szie', which state does not"),
        ("commit_update", {"unchanged": "size"}, "unchanged must be a list of names"),
        (
            "commit_update",
            {"unchanged": iter(["size"])},
            "unchanged must be a list of names, but is",
        ),
        (
            "commit",
            {"request_fields": iter(["size"])},
            "request_fields must be a list of names, but",
        ),
        ("commit_update", {"unchanged": ["version"]}, "unchanged names 'version', which every update"),
        ("commit_update", {"state": {"size": 5}}, "state needs PK"),
        ("commit_writes", {"request": {}}, "request must be a mapping"),
        (
            "commit_writes",
            {"writes": []},
            "writes must be a list of 1 to 99 actions, but is list of length 0",
        ),
        ("commit_writes", {"writes": [WRITE] * 100}, "writes must be a list of 1 to 99 .* length 100"),
        ("commit_writes", {"writes": WRITE}, "writes must be a list"),
        (
            "commit_writes",
            {"writes": [WRITE, {"put": {}}]},
            "write 1 must be an object with exactly one of",
        ),
        (
            "commit_writes",
            {"writes": [{**WRITE, "Update": {}}]},
            "write 0 must be an object with exactly",
        ),
    ],
)
def test_contradictory_arguments_are_refused_before_any_call(
    command: str, arguments: dict[str, Any], sentence: str
) -> None:
    client = Recorder(None)

    with pytest.raises(ValueError, match=sentence):
        send(command, client, **arguments)

    assert client.calls == []
