"""The meter, on tables of its own."""

import uuid

import pytest

from outbox_local.clients import Clients
from tools.benchmarks.counting import Meter
from tools.benchmarks.pipeline import make_table

ABSENT = "attribute_not_exists(PK)"


@pytest.fixture
def clients(local_aws: Clients) -> Clients:
    """Clients of the test's own: what watches them ends with it."""
    return Clients(local_aws.endpoint)


@pytest.fixture
def table(clients: Clients) -> str:
    name = f"metered-{uuid.uuid4().hex[:8]}"
    make_table(clients, name, with_stream=False)
    return name


@pytest.fixture
def meter(clients: Clients) -> Meter:
    meter = Meter()
    meter.watch(clients("dynamodb"))
    return meter


def _item(key: str) -> dict[str, dict[str, str]]:
    return {"PK": {"S": key}, "SK": {"S": "EVENT"}}


def _puts(table: str, *keys: str) -> list[dict[str, object]]:
    return [{"Put": {"TableName": table, "Item": _item(key), "ConditionExpression": ABSENT}} for key in keys]


def test_meter_counts_calls_and_units_by_what_dynamodb_answers(
    clients: Clients, table: str, meter: Meter
) -> None:
    dynamodb = clients("dynamodb")

    dynamodb.put_item(TableName=table, Item=_item("a"))
    dynamodb.transact_write_items(TransactItems=_puts(table, "b", "c"))
    dynamodb.get_item(TableName=table, Key=_item("a"), ConsistentRead=True)

    assert meter.calls == {"PutItem": 1, "TransactWriteItems": 1, "GetItem": 1}
    assert meter.write_units == 1 + 2 * 2
    assert meter.read_units == 1


def test_meter_of_refused_writes_counts_what_they_would_have_written(
    clients: Clients, table: str, meter: Meter
) -> None:
    dynamodb = clients("dynamodb")
    dynamodb.put_item(TableName=table, Item=_item("a"))
    meter.reset()

    with pytest.raises(dynamodb.exceptions.ConditionalCheckFailedException):
        dynamodb.put_item(TableName=table, Item=_item("a"), ConditionExpression=ABSENT)
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException):
        dynamodb.transact_write_items(TransactItems=_puts(table, "a", "b", "c"))

    assert meter.calls == {"PutItem": 1, "TransactWriteItems": 1}
    assert meter.write_units == 1 + 3 * 2


def test_meter_sees_nothing_of_other_clients(
    clients: Clients, local_aws: Clients, table: str, meter: Meter
) -> None:
    local_aws("dynamodb").put_item(TableName=table, Item=_item("a"))

    counted = meter.calls.total()

    assert counted == 0
