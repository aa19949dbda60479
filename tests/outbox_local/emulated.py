"""Roles, queues and streams of a test's own in the emulator, and patience."""

import json
import time
from collections.abc import Callable
from typing import Any

import boto3

from outbox_local.clients import Clients
from tests.outbox_local.conftest import TRUST_POLICY

PATIENCE_SECONDS = 20.0


def as_role(clients: Clients, name: str, service: str, *statements: dict[str, Any]) -> Any:
    """A client of the service with the credentials of a new role that has these rights."""
    iam = clients("iam")
    role = iam.create_role(RoleName=name, AssumeRolePolicyDocument=TRUST_POLICY)["Role"]
    document = {"Version": "2012-10-17", "Statement": list(statements)}
    iam.put_role_policy(RoleName=name, PolicyName="rights", PolicyDocument=json.dumps(document))
    session = clients("sts").assume_role(RoleArn=role["Arn"], RoleSessionName="test")["Credentials"]
    keys = session["AccessKeyId"], session["SecretAccessKey"], session["SessionToken"]
    return boto3.Session(*keys, clients.region).client(service, endpoint_url=clients.endpoint_url)  # type: ignore[call-overload]  # any service


def allow(actions: str | list[str], resource: str) -> dict[str, Any]:
    return {"Effect": "Allow", "Action": actions, "Resource": resource}


def new_queue(clients: Clients, name: str, **attributes: str) -> tuple[str, str]:
    sqs = clients("sqs")
    url = sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return url, arn


def new_stream(clients: Clients, name: str) -> str:
    table = clients("dynamodb").create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    )
    return str(table["TableDescription"]["LatestStreamArn"])


def eventually(satisfied: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not satisfied():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
