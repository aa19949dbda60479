"""Headers go from the commit to the consumer's code beside the body; what no message could carry is refused."""

from collections.abc import Mapping
from typing import Any

import pytest

from outbox.commit_changes import commit_writes
from outbox.errors import InvalidInputError
from outbox.events import Event, EventType, Projection
from outbox.fields import Text
from outbox.headers import MAXIMUM_HEADERS, ROW_EXPIRES_AT, received_headers
from outbox.outgoing import OutgoingEvent
from outbox.rows import RowOptions
from outbox_local.event_sources.events import queue_record
from tests.handlers.support import (
    SOURCE_TABLE,
    Clock,
    Recorder,
    deliver,
    inserts,
    message,
    outbox_image,
    relay,
    stream_record,
)

PAID = EventType("Paid", {"invoice": Text("[a-z0-9]+", "lowercase letters or digits")})
HEADERS = {"correlation_id": "c-1", "tenant.name": "Äpfel & Co"}


def paid(**options: Any) -> OutgoingEvent:
    return PAID.event("paid:1", {"invoice": "1"}, **options)


def test_headers_reach_the_row_the_message_and_the_consumers_code(
    dynamodb: Any, sqs: Any, queue_url: str
) -> None:
    recorder: Any = Recorder(dynamodb)
    seen: list[Event] = []

    def effects(event: Event) -> tuple[()]:
        seen.append(event)
        return ()

    commit_writes(
        recorder,
        table=SOURCE_TABLE,
        writes=[{"Put": {"TableName": SOURCE_TABLE, "Item": {"PK": {"S": "P"}, "SK": {"S": "S"}}}}],
        event=paid(headers=HEADERS),
        request={"invoice": "1"},
        backoff=Clock().backoff(),
    )
    [(_, request)] = recorder.calls
    row = request["TransactItems"][-1]["Put"]["Item"]
    relay(sqs, queue_url, [stream_record("1", row)])
    [received] = sqs.receive_message(QueueUrl=queue_url, MessageAttributeNames=["All"])["Messages"]
    deliver(
        dynamodb,
        [queue_record(received, source_arn="queue", region="nowhere")],
        parse=Projection({PAID: effects}).parse,
    )

    assert row["headers"] == {"M": {name: {"S": value} for name, value in HEADERS.items()}}
    assert [(event.event_id, event.headers) for event in seen] == [("paid:1", HEADERS)]


def test_message_of_a_row_without_headers_has_no_attributes() -> None:
    recorder: Any = Recorder(None, default={"Successful": [{"Id": "0"}]})

    relay(recorder, "https://q.test/q", inserts("body"))

    [(_, request)] = recorder.calls
    assert request["Entries"] == [{"Id": "0", "MessageBody": "body"}]


def test_message_tells_when_its_row_may_go() -> None:
    recorder: Any = Recorder(None, default={"Successful": [{"Id": "0"}]})
    image = outbox_image() | {"expires_at": {"N": "1900000000"}}

    relay(recorder, "https://q.test/q", [stream_record("1", image)])

    [(_, request)] = recorder.calls
    told = {"DataType": "Number", "StringValue": "1900000000"}
    assert request["Entries"][0]["MessageAttributes"] == {ROW_EXPIRES_AT: told}


def test_headers_are_no_part_of_the_content() -> None:
    parse = Projection({PAID: lambda _: ()}).parse

    assert parse(paid().body, HEADERS).identity == parse(paid().body).identity


def test_parse_of_ones_own_with_one_parameter_gets_the_body_alone(dynamodb: Any) -> None:
    bodies: list[str] = []

    def parse(body: str) -> Any:
        bodies.append(body)
        return Projection({PAID: lambda _: ()}).parse(body)

    assert deliver(dynamodb, [message(paid().body, "m-1")], parse=parse) == []
    assert bodies == [paid().body]


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({f"name-{number}": "x" for number in range(MAXIMUM_HEADERS + 1)}, "10 headers; a message takes 9"),
        ({"": "x"}, "a name must be 1 to 256 letters"),
        ({"x" * 257: "x"}, "a name must be 1 to 256 letters"),
        ({"AWS.trace": "x"}, "must not begin with AWS. or Amazon."),
        ({"two..dots": "x"}, "single dots between them"),
        ({ROW_EXPIRES_AT: "1"}, "which the library sets itself"),
        ({"empty": ""}, "The header empty of paid:1 must be text"),
        ({"bell": "\x07"}, "The header bell of paid:1 must be text of characters that SQS accepts"),
        ({"number": 5}, "The header number of paid:1 must be text"),
        ({"long": "x" * 1_048_576}, "bytes with its headers, SQS accepts 1048576"),
    ],
)
def test_header_that_no_message_could_carry_is_refused_before_the_commit(
    headers: Mapping[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInputError, match=sentence):
        paid(headers=headers)


def test_row_is_refused_when_its_headers_make_it_too_large() -> None:
    with pytest.raises(InvalidInputError, match="its outbox row would have"):
        OutgoingEvent("e", "{}", headers={"long": "x" * 409_600})


def test_attributes_of_a_row_that_another_program_wrote_do_not_keep_it_from_the_index() -> None:
    event = OutgoingEvent("e", "{}", extras={"traceparent": "00-1"})

    extras = RowOptions(is_indexed=True).on(event, 1_800_000_000).extras

    assert {"traceparent", "index_shard", "stored_minute"} == set(extras)


def test_attributes_that_are_no_text_are_no_headers() -> None:
    record = {"messageAttributes": {"seal": {"dataType": "Binary", "binaryValue": "MQ=="}, "broken": None}}

    assert received_headers(record) == {}
    assert received_headers({"messageAttributes": None}) == {}
