"""Tables and queues for the handlers: simulated ones, and those of moto where a test needs what only moto knows."""

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
SESSION = boto3.Session(
    "testing", "testing", region_name="eu-west-3"
)  # it reads the models of the services once

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


@pytest.fixture(scope="module")
def aws() -> Iterator[boto3.Session]:
    """Moto's AWS, one for each module, and the session for its clients."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_DEFAULT_REGION", SESSION.region_name)
        with mock_aws():
            yield SESSION


@pytest.fixture
def moto_dynamodb(aws: boto3.Session) -> "Iterator[DynamoDBClient]":
    """Moto's client, with both tables new and empty: for guards, deletions, updates and reserved words."""
    client = aws.client("dynamodb")
    for table in (SOURCE_TABLE, PROJECTION_TABLE):
        client.create_table(
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
    yield client
    for table in (SOURCE_TABLE, PROJECTION_TABLE):
        client.delete_table(TableName=table)


@pytest.fixture
def dynamodb() -> DynamoDB:
    """Both tables, simulated and empty; tests/simulation/test_agreement.py shows that they answer as moto's do."""
    return DynamoDB([Table(SOURCE_TABLE), Table(PROJECTION_TABLE)])


@pytest.fixture(scope="module")
def sqs(aws: boto3.Session) -> "SQSClient":
    return aws.client("sqs")


@pytest.fixture
def queue_url(sqs: "SQSClient") -> Iterator[str]:
    url = sqs.create_queue(QueueName="delivery")["QueueUrl"]
    yield url
    sqs.delete_queue(QueueUrl=url)


@pytest.fixture
def load(aws: boto3.Session, monkeypatch: pytest.MonkeyPatch) -> Callable[..., ModuleType]:
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
