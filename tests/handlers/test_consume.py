"""Each event's effect once, and a message that cannot be read holds up no other."""

import itertools
from typing import Any

import pytest

import orders
from outbox.consume import consume
from outbox.errors import InvalidInputError
from tests.handlers.support import (
    PROJECTION_TABLE,
    RECEIVE_LIMIT,
    SOURCE_TABLE,
    Clock,
    Recorder,
    deliver,
    items,
    message,
    messages,
    order_body,
    outbox_image,
    relay,
    stream_record,
    total,
)


def test_consume_new_event_stores_exactly_marker_and_total(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    reported = deliver(dynamodb, [message(order_body("order-a", 1000))])

    assert reported == []
    assert capsys.readouterr().out == "APPLIED order-created:order-a\n"
    digest = orders.sales().parse(order_body("order-a", 1000)).identity.digest
    stored = dynamodb.scan(TableName=PROJECTION_TABLE)["Items"]
    assert sorted(stored, key=lambda item: item["PK"]["S"]) == [
        {
            "PK": {"S": "INBOX#order-created:order-a"},
            "SK": {"S": "EVENT"},
            "kind": {"S": "INBOX"},
            "digest": {"S": digest},
        },
        {
            "PK": {"S": "SALES"},
            "SK": {"S": "TOTAL"},
            "kind": {"S": "SUMMARY"},
            "order_count": {"N": "1"},
            "revenue_cents": {"N": "1000"},
        },
    ]


def test_a4_consume_again_recognises_the_stored_marker(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Recorder(dynamodb)
    deliver(client, [message(order_body("a", 1000), "m-1")])

    reported = deliver(client, [message(order_body("a", 1000), "m-2")])

    assert reported == []
    assert capsys.readouterr().out.splitlines()[1:] == ["DUPLICATE_IGNORED order-created:a"]
    assert total(dynamodb) == (1, 1000)
    assert client.operations == {"transact_write_items"}


def test_consume_with_an_unplanned_error_reports_the_batch_and_shows_the_traceback(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    client = Recorder(dynamodb, ZeroDivisionError("bug"))

    reported = deliver(client, messages("bad", order_body("a", 1)))

    assert reported == ["m-1", "m-2"]
    captured = capsys.readouterr()
    assert captured.out.endswith("order-created:a is not known to be stored: ZeroDivisionError: bug\n")
    assert "Traceback" in captured.err


@pytest.mark.parametrize(
    "bad",
    [
        "not JSON",
        "null",
        "[]",
        '"text"',
        pytest.param("[" * 3_000_000, id="nested"),
        '{"a":1}',
        "",
        None,
        7,
        {"order_id": "a"},
    ],
)
def test_c2_consume_with_a_bad_message_between_two_good_reports_only_it(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], bad: object
) -> None:
    reported = deliver(dynamodb, messages(order_body("a", 1), bad, order_body("b", 2)))

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 3)
    log = capsys.readouterr().out
    assert log.startswith("RETRY InvalidInputError: ")
    assert len(log) < 500


def test_c2_consume_with_the_body_missing_reports_only_that_message(dynamodb: Any) -> None:
    records = messages(order_body("a", 1), "", order_body("b", 2))
    del records[1]["body"]

    reported = deliver(dynamodb, records)

    assert reported == ["m-2"]
    assert total(dynamodb) == (2, 3)


def test_c2_consume_with_a_parser_that_breaks_reports_only_that_message(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    def parse(body: str) -> Any:
        return orders.sales().parse(body) if body != "boom" else {"a": 1}["missing"]

    reported = deliver(dynamodb, messages("boom", order_body("a", 1)), parse=parse)

    assert reported == ["m-1"]
    captured = capsys.readouterr()
    assert captured.out.splitlines() == ["RETRY KeyError: 'missing' (message m-1)", "APPLIED order-created:a"]
    assert "Traceback" in captured.err


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ('{"event_id":"order-created:a"}', " order-created:a"),
        ('{"event_id":7}', " (message m-1)"),
        ("[]", " (message m-1)"),
        ("7", " (message m-1)"),
        ("no JSON", " (message m-1)"),
    ],
)
def test_c2_consume_names_the_event_that_a_refused_body_says_it_is(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], body: str, ending: str
) -> None:
    deliver(dynamodb, messages(body))

    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("RETRY InvalidInputError: ")
    assert line.endswith(ending)


def test_c1_consume_answers_a_list_for_no_some_and_all_failures(dynamodb: Any) -> None:
    none_received = deliver(dynamodb, [])
    none_failed = deliver(dynamodb, messages(order_body("a"), order_body("b")))
    all_failed = deliver(dynamodb, messages("bad", "worse"))

    assert none_received == []
    assert none_failed == []
    assert all_failed == ["m-1", "m-2"]


@pytest.mark.parametrize("message_id", [None, "", 7])
def test_c1_consume_of_a_record_without_message_id_fails_before_applying(
    dynamodb: Any, message_id: object
) -> None:
    records = [message(order_body("a")), {"messageId": message_id, "body": order_body("b")}]

    with pytest.raises(InvalidInputError, match="messageId of a record must be text"):
        deliver(dynamodb, records)

    assert items(dynamodb, PROJECTION_TABLE) == {}


@pytest.mark.parametrize("order", list(itertools.permutations(["relay", "sweep", "sweep"])))
def test_d4_event_sent_by_relay_and_by_sweep_in_any_order_is_counted_once(
    dynamodb: Any, sqs: Any, queue_url: str, order: tuple[str, ...]
) -> None:
    stored_body = order_body("q-4", 400)
    for sender in order:
        if sender == "relay":
            record = stream_record("1", outbox_image("order-created:q-4", {"S": stored_body}))
            relay(sqs, queue_url, [record])
        else:
            sqs.send_message(QueueUrl=queue_url, MessageBody=stored_body)
    received = sqs.receive_message(QueueUrl=queue_url, MaxNumberOfMessages=10)["Messages"]

    reported = [deliver(dynamodb, [message(m["Body"], m["MessageId"])]) for m in received]

    assert reported == [[], [], []]
    assert total(dynamodb) == (1, 400)


def test_e1_consume_other_content_under_a_known_id_fails_every_time(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    deliver(dynamodb, [message(order_body("m-3", 700))])

    reported = [deliver(dynamodb, [message(order_body("m-3", 900))]) for _ in range(RECEIVE_LIMIT)]

    assert reported == [["m-1"]] * RECEIVE_LIMIT
    assert total(dynamodb) == (1, 700)
    lines = capsys.readouterr().out.splitlines()[1:]
    assert set(lines) == {
        "RETRY ConflictingContent: order-created:m-3 was applied before with conflicting content"
    }


def test_consume_uses_the_table_it_is_given(dynamodb: Any) -> None:
    response = consume(
        dynamodb,
        table=SOURCE_TABLE,
        records=[message(order_body())],
        parse=orders.sales().parse,
        backoff=Clock().backoff(),
    )

    assert response == {"batchItemFailures": []}
    assert set(items(dynamodb, SOURCE_TABLE)) == {"INBOX#order-created:a", "SALES"}
