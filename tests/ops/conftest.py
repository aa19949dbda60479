"""A stack in memory: the two tables and queues under moto, with what the verbs need of a deployed one."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

from ops.stack.deployed import Stack

REGION = "eu-central-1"


@pytest.fixture
def stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stack]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():

        @cache
        def clients(service: str) -> Any:
            return boto3.client(service, region_name=REGION)  # type: ignore[call-overload]  # any service

        for table in ("source", "projection"):
            clients("dynamodb").create_table(
                TableName=table,
                AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("PK", "SK")],
                KeySchema=[
                    {"AttributeName": "PK", "KeyType": "HASH"},
                    {"AttributeName": "SK", "KeyType": "RANGE"},
                ],
                BillingMode="PAY_PER_REQUEST",
            )
        queues = {
            name: clients("sqs").create_queue(QueueName=name)["QueueUrl"]
            for name in ("queue", "dead-letters")
        }
        outputs = {
            "source_table_name": "source",
            "projection_table_name": "projection",
            "queue_url": queues["queue"],
            "dead_letter_queue_url": queues["dead-letters"],
        }
        yield Stack("test", outputs, clients)
