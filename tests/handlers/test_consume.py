"""Each event's effect once, and a message that cannot be read holds up no other."""

from typing import Any

import pytest

import orders
from outbox.errors import InvalidInputError
from tests.handlers.support import (
    PROJECTION_TABLE,
    RECEIVE_LIMIT,
    Recorder,
    deliver,
    items,
    message,
    messages,
    order_body,
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


def test_consume_again_recognises_the_stored_marker(
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
        {"body": "not JSON"},
        {"body": "null"},
        {"body": "[]"},
        {"body": '"text"'},
        pytest.param({"body": "[" * 3_000_000}, id="nested"),
        {"body": '{"a":1}'},
        {"body": ""},
        {"body": None},
        {"body": 7},
        {"body": {"order_id": "a"}},
        {},
    ],
)
def test_consume_with_a_bad_message_between_two_good_reports_only_it(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], bad: dict[str, Any]
) -> None:
    first, last = messages(order_body("a", 1), order_body("b", 2))

    reported = deliver(dynamodb, [first, {"messageId": "bad", **bad}, last])

    assert reported == ["bad"]
    assert total(dynamodb) == (2, 3)
    log = capsys.readouterr().out
    assert log.startswith("RETRY InvalidInputError: ")
    assert len(log) < 500


def test_consume_with_a_parser_that_breaks_reports_only_that_message(
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
def test_consume_names_the_event_that_a_refused_body_says_it_is(
    dynamodb: Any, capsys: pytest.CaptureFixture[str], body: str, ending: str
) -> None:
    deliver(dynamodb, messages(body))

    [line] = capsys.readouterr().out.splitlines()
    assert line.startswith("RETRY InvalidInputError: ")
    assert line.endswith(ending)


def test_consume_answers_a_list_for_no_some_and_all_failures(dynamodb: Any) -> None:
    none_received = deliver(dynamodb, [])
    none_failed = deliver(dynamodb, messages(order_body("a"), order_body("b")))
    all_failed = deliver(dynamodb, messages("bad", "worse"))

    assert none_received == []
    assert none_failed == []
    assert all_failed == ["m-1", "m-2"]


@pytest.mark.parametrize("message_id", [None, "", 7])
def test_consume_of_a_record_without_message_id_fails_before_applying(
    dynamodb: Any, message_id: object
) -> None:
    records = [message(order_body("a")), {"messageId": message_id, "body": order_body("b")}]

    with pytest.raises(InvalidInputError, match="messageId of a record must be text"):
        deliver(dynamodb, records)

    assert items(dynamodb, PROJECTION_TABLE) == {}


def test_consume_other_content_under_a_known_id_fails_every_time(
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
