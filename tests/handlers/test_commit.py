"""State and event: both or neither, and the same answer to the same request."""

from decimal import Decimal
from typing import Any

import pytest

import orders
from outbox.commit import CommandResult, commit
from outbox.commit_changes import commit_writes
from outbox.errors import (
    CallRefusedError,
    ConflictingRequest,
    EventIdTakenError,
    NotStoredError,
    OutboxRowMissingError,
)
from outbox.wire import to_wire
from tests.handlers.commands import STATE, send
from tests.handlers.support import SOURCE_TABLE, Clock, Recorder, cancelled, error, items


@pytest.fixture
def dynamodb(moto_dynamodb: Any) -> Any:
    return moto_dynamodb


def _accept(
    client: Any, order_id: str = "a", amount_cents: int = 1000, clock: Clock | None = None
) -> CommandResult:
    order = orders.Order(order_id, amount_cents)
    return commit(
        client,
        table=SOURCE_TABLE,
        state=orders.state_of(order),
        event=orders.event_of(order),
        request_fields=orders.REQUEST_FIELDS,
        backoff=(clock or Clock()).backoff(),
    )


def test_commit_new_order_stores_exactly_the_two_items(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = _accept(dynamodb, "order-a", 1000)

    assert answer == {"result": "ACCEPTED", "event_id": "order-created:order-a"}
    assert capsys.readouterr().out == "ACCEPTED order-created:order-a\n"
    stored = dynamodb.scan(TableName=SOURCE_TABLE)["Items"]
    assert sorted(stored, key=lambda item: item["PK"]["S"]) == [
        {
            "PK": {"S": "ORDER#order-a"},
            "SK": {"S": "STATE"},
            "kind": {"S": "ORDER"},
            "order_id": {"S": "order-a"},
            "amount_cents": {"N": "1000"},
            "status": {"S": "ACCEPTED"},
            "event_id": {"S": "order-created:order-a"},
        },
        {
            "PK": {"S": "OUTBOX#order-created:order-a"},
            "SK": {"S": "EVENT"},
            "kind": {"S": "OUTBOX"},
            "event_id": {"S": "order-created:order-a"},
            "body": {
                "S": '{"amount_cents":1000,"event_id":"order-created:order-a",'
                '"order_id":"order-a","type":"OrderCreated"}'
            },
        },
    ]


def test_commit_repeated_after_the_order_shipped_is_still_accepted(
    dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    _accept(dynamodb, "z-9", 750)
    dynamodb.update_item(
        TableName=SOURCE_TABLE,
        Key={"PK": {"S": "ORDER#z-9"}, "SK": {"S": "STATE"}},
        UpdateExpression="SET #status = :shipped",
        ExpressionAttributeNames={"#status": "status"},
        ExpressionAttributeValues={":shipped": {"S": "SHIPPED"}},
    )

    answer = _accept(dynamodb, "z-9", 750)

    assert answer == {"result": "ALREADY_ACCEPTED", "event_id": "order-created:z-9"}
    assert capsys.readouterr().out.endswith("ALREADY_ACCEPTED order-created:z-9\n")
    assert items(dynamodb, SOURCE_TABLE)["ORDER#z-9"]["status"] == "SHIPPED"


def test_commit_with_another_amount_is_a_conflict_and_changes_nothing(dynamodb: Any) -> None:
    _accept(dynamodb, "z-9", 750)
    before = items(dynamodb, SOURCE_TABLE)

    with pytest.raises(ConflictingRequest, match=r"ORDER#z-9 already exists with another amount_cents"):
        _accept(dynamodb, "z-9", 760)

    assert items(dynamodb, SOURCE_TABLE) == before


def test_commit_repeated_after_its_outbox_row_expired_is_still_accepted(
    dynamodb: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTBOX_ROW_LIFETIME_SECONDS", "1382400")
    _accept(dynamodb)
    row = {"PK": {"S": "OUTBOX#order-created:a"}, "SK": {"S": "EVENT"}}
    dynamodb.delete_item(TableName=SOURCE_TABLE, Key=row)

    answer = _accept(dynamodb)

    assert answer["result"] == "ALREADY_ACCEPTED"
    assert set(items(dynamodb, SOURCE_TABLE)) == {"ORDER#a"}


STORED_EARLIER = to_wire(orders.state_of(orders.Order("a", 1000)))


def test_commit_of_an_item_from_before_the_outbox_is_refused_until_it_has_its_event(dynamodb: Any) -> None:
    dynamodb.put_item(TableName=SOURCE_TABLE, Item=STORED_EARLIER)
    key = {name: STORED_EARLIER[name] for name in ("PK", "SK")}
    is_there: Any = {"TableName": SOURCE_TABLE, "Key": key, "ConditionExpression": "attribute_exists(PK)"}

    with pytest.raises(
        OutboxRowMissingError, match=r"ORDER#a is stored .* without the outbox row of order-cr"
    ):
        _accept(dynamodb)
    refused = items(dynamodb, SOURCE_TABLE)
    commit_writes(
        dynamodb,
        table=SOURCE_TABLE,
        writes=[{"ConditionCheck": is_there}],
        event=orders.event_of(orders.Order("a", 1000)),
        request={"order_id": "a"},
        backoff=Clock().backoff(),
    )

    assert set(refused) == {"ORDER#a"}
    assert _accept(dynamodb)["result"] == "ALREADY_ACCEPTED"


def test_commit_with_outbox_row_but_no_state_is_refused_and_stores_no_state(dynamodb: Any) -> None:
    _accept(dynamodb)
    dynamodb.delete_item(TableName=SOURCE_TABLE, Key={"PK": {"S": "ORDER#a"}, "SK": {"S": "STATE"}})

    with pytest.raises(
        EventIdTakenError, match=r"outbox row of order-created:a exists, but not by this request"
    ):
        _accept(dynamodb)

    assert set(items(dynamodb, SOURCE_TABLE)) == {"OUTBOX#order-created:a"}


@pytest.mark.parametrize(
    "code", ["ThrottlingException", "TransactionInProgressException", "InternalServerError"]
)
def test_commit_after_a_call_that_failed_in_passing_stores_the_order(dynamodb: Any, code: str) -> None:
    client = Recorder(dynamodb, error(code), error(code))
    clock = Clock()

    answer = _accept(client, clock=clock)

    assert answer["result"] == "ACCEPTED"
    assert set(items(dynamodb, SOURCE_TABLE)) == {"ORDER#a", "OUTBOX#order-created:a"}
    assert clock.pauses == [0.025, 0.05]


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (cancelled("None", "ValidationError"), CallRefusedError),
        (cancelled("None", "None"), NotStoredError),
        (cancelled("TransactionConflict"), NotStoredError),
        (cancelled(), NotStoredError),
        (error("IdempotentParameterMismatchException"), CallRefusedError),
        (error("ValidationException"), CallRefusedError),
    ],
)
def test_commit_failing_for_another_reason_raises_without_a_second_call(
    dynamodb: Any, failure: Exception, told: type[Exception]
) -> None:
    client = Recorder(dynamodb, failure)

    with pytest.raises(told) as raised:
        _accept(client)

    assert (type(raised.value), raised.value.__cause__) == (told, failure)
    assert len(client.calls) == 1


@pytest.mark.parametrize(
    "value",
    [("a", "b"), (), {"lines": [(1, 2)]}, {b"a"}, frozenset({1, 2}), bytearray(b"a"), Decimal("1.50")],
)
def test_commit_repeated_with_the_same_value_of_any_type_is_accepted_already(
    dynamodb: Any, value: object
) -> None:
    answers = [send("commit", dynamodb, state={**STATE, "size": value})["result"] for _ in range(2)]

    assert answers == ["ACCEPTED", "ALREADY_ACCEPTED"]
