"""AWS clients whose slowest call still ends before the function's own timeout.

The SDK's defaults (60 s to connect, 60 s to read, 3 attempts or more) outlive a 10 s function, which
then dies without an answer: every message of its batch is delivered again.
https://docs.aws.amazon.com/botocore/latest/reference/config.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient
    from types_boto3_sqs import SQSClient

CONNECT_TIMEOUT_SECONDS = 2
READ_TIMEOUT_SECONDS = 2
TOTAL_ATTEMPTS = 2

_CONFIG = Config(
    connect_timeout=CONNECT_TIMEOUT_SECONDS,
    read_timeout=READ_TIMEOUT_SECONDS,
    retries={"mode": "standard", "total_max_attempts": TOTAL_ATTEMPTS},
    # A quarter of a full batch's processor time, for what the services check again.
    parameter_validation=False,
)


def dynamodb_client() -> DynamoDBClient:
    """A low-level client: the resource layer costs start-up time and adds nothing used here."""
    return boto3.client("dynamodb", config=_CONFIG)


def sqs_client() -> SQSClient:
    """A low-level client for the delivery queues."""
    return boto3.client("sqs", config=_CONFIG)
