"""A stack in memory: the two tables and queues under moto, with what the verbs need of a deployed one."""

from collections.abc import Iterator
from functools import cache
from typing import Any

import boto3
import pytest
from moto import mock_aws

from outbox_cli.stack.deployed import Stack

REGION = "eu-central-1"


@cache
def clients(service: str) -> Any:
    """Made once: each takes a quarter of a second, and moto answers those made before it began, too."""
    return boto3.client(service, region_name=REGION)  # type: ignore[call-overload]  # any service


@pytest.fixture
def stack() -> Iterator[Stack]:
    with mock_aws():
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
            "domain": "orders",
            "source_table_name": "source",
            "projection_table_name": "projection",
            "queue_url": queues["queue"],
            "dead_letter_queue_url": queues["dead-letters"],
        }
        yield Stack("test", outputs, clients)
