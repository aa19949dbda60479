"""Invocations and records of a shape that Lambda never makes: refused in a sentence, with nothing done."""

from typing import Any

import pytest

from outbox.errors import InvalidInputError
from outbox.forward import forward
from outbox.invocation import records_of
from tests.handlers.support import Clock, Recorder

ROW = {"kind": {"S": "OUTBOX"}, "PK": {"S": "OUTBOX#a"}, "event_id": {"S": "a"}, "body": {"S": "{}"}}


@pytest.mark.parametrize("event", [None, [], "text", {}, {"Records": None}, {"Records": {}}])
def test_records_of_what_is_no_batch_are_refused(event: object) -> None:
    with pytest.raises(InvalidInputError, match="no list of Records"):
        records_of(event)


@pytest.mark.parametrize(("record", "described"), [(None, "null"), ("text", "str of length 4"), (1, "int 1")])
def test_record_that_is_no_object_is_refused_with_its_place(record: object, described: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"^Records\[1\] must be an object, but is {described}\.$"):
        records_of({"Records": [{}, record]})


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("dynamodb", None),
        ("NewImage", {"NewImage": None}),
        ("PK", {"NewImage": {**ROW, "PK": None}}),
        ("event_id", {"NewImage": {**ROW, "event_id": None}}),
        ("body", {"NewImage": {**ROW, "body": None}}),
    ],
)
def test_forward_of_a_record_with_null_for_an_object_fails_as_a_whole_and_sends_nothing(
    name: str, change: Any
) -> None:
    client: Any = Recorder(None)
    record = {"eventName": "INSERT", "dynamodb": change and {"SequenceNumber": "1", **change}}

    with pytest.raises(InvalidInputError, match=rf"^{name} of a record must be an object, but is null\.$"):
        forward(
            client, queue_urls=["queue"], records=[record], backoff=Clock().backoff(), function_name="relay"
        )

    assert client.calls == []
