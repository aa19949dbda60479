"""A mocked AWS with the tables and queue of the system, and credentials that open nothing."""

import importlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING

import boto3
import pytest
from moto import mock_aws

from outbox import clients
from tests.handlers.support import PROJECTION_TABLE, SOURCE_TABLE
from tools.simulation.dynamodb import DynamoDB, Table

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient

_MODELS = clients._Models()

SETTINGS = (
    "SOURCE_TABLE",
    "PROJECTION_TABLE",
    "QUEUE_URL",
    "QUEUE_URLS",
    "AGGREGATE_SHARDS",
    "FAULT_AFTER_COMMIT",
    "RECONCILE_INDEX",
    "OUTBOX_ROW_LIFETIME_SECONDS",
    "INBOX_MARKER_LIFETIME_SECONDS",
)


@pytest.fixture(scope="module", autouse=True)
def aws() -> Iterator[None]:
    """One mock a module: building it and its clients takes longer than any test."""
    with pytest.MonkeyPatch.context() as environment:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            environment.setenv(name, "testing")
        environment.setenv("AWS_DEFAULT_REGION", "eu-west-3")
        for name in ("AWS_PROFILE", "AWS_REGION", "AWS_ENDPOINT_URL"):
            environment.delenv(name, raising=False)
        with mock_aws():
            yield


@pytest.fixture(scope="module")
def dynamodb_of_module(aws: None) -> "DynamoDBClient":
    return boto3.client("dynamodb")


@pytest.fixture
def dynamodb(dynamodb_of_module: "DynamoDBClient") -> "Iterator[DynamoDBClient]":
    """A client, with both tables new and empty."""
    for table in (SOURCE_TABLE, PROJECTION_TABLE):
        dynamodb_of_module.create_table(
            TableName=table,
            KeySchema=[
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            AttributeDefinitions=[
                {"AttributeName": "PK", "AttributeType": "S"},
                {"AttributeName": "SK", "AttributeType": "S"},
            ],
            BillingMode="PAY_PER_REQUEST",
        )
    yield dynamodb_of_module
    for table in (SOURCE_TABLE, PROJECTION_TABLE):
        dynamodb_of_module.delete_table(TableName=table)


@pytest.fixture
def simulated() -> DynamoDB:
    """The same without the mock, which copies its tables at each transaction: for tests of many and of full ones.

    That both answer alike is shown by tests/simulation/test_agreement.py.
    """
    return DynamoDB([Table(SOURCE_TABLE), Table(PROJECTION_TABLE)])


@pytest.fixture(scope="module")
def sqs(aws: None) -> "SQSClient":
    return boto3.client("sqs")


@pytest.fixture
def queue_url(sqs: "SQSClient") -> Iterator[str]:
    url = sqs.create_queue(QueueName="delivery")["QueueUrl"]
    yield url
    sqs.delete_queue(QueueUrl=url)


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
    """Import a handler module afresh, with exactly these settings in its environment."""

    # Each import makes its own client; the SDK's models behind them are read once.
    monkeypatch.setattr(clients, "_Models", lambda: _MODELS)

    def load_module(name: str, **environment: str) -> ModuleType:
        for setting in SETTINGS:
            monkeypatch.delenv(setting, raising=False)
        for setting, value in environment.items():
            monkeypatch.setenv(setting, value)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)

    return load_module
