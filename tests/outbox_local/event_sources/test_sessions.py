"""Credentials of roles, without a network: STS is stubbed and requests are caught before they are sent."""

from datetime import UTC, datetime, timedelta
from typing import Any

import boto3
import pytest
from botocore.awsrequest import AWSResponse

from outbox_local.event_sources import MakeClient, role_clients, sessions
from tests.outbox_local.event_sources.fakes import ROLE_ARN


class Wire:
    """Answers AssumeRole with numbered keys, and everything else with nothing; keeps who signed."""

    def __init__(self) -> None:
        self.lifetime = timedelta(hours=1)
        self.assumed = 0
        self.signed_by: list[str] = []

    def send(self, request: Any, **_: Any) -> AWSResponse:
        key = request.headers["Authorization"].decode().split("Credential=")[1].split("/")[0]
        self.signed_by.append(key)
        body = b"{}"
        if b"Action=AssumeRole" in (
            request.body if isinstance(request.body, bytes) else str(request.body).encode()
        ):
            self.assumed += 1
            expiration = (datetime.now(UTC) + self.lifetime).isoformat()
            body = (
                "<AssumeRoleResponse><AssumeRoleResult><Credentials>"
                f"<AccessKeyId>ROLE{self.assumed}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>"
                f"<SessionToken>t</SessionToken><Expiration>{expiration}</Expiration>"
                "</Credentials></AssumeRoleResult></AssumeRoleResponse>"
            ).encode()
        return Answer(request.url, 200, {}, None, body)


class Answer(AWSResponse):
    def __init__(self, url: str, status: int, headers: Any, raw: Any, body: bytes) -> None:
        super().__init__(url, status, headers, raw)
        self._content = body


@pytest.fixture
def wire(monkeypatch: pytest.MonkeyPatch) -> Wire:
    wire = Wire()
    monkeypatch.setattr("botocore.httpsession.URLLib3Session.send", lambda _, request: wire.send(request))
    return wire


@pytest.fixture
def clients(wire: Wire) -> MakeClient:
    operator = boto3.Session("OPERATOR", "secret", region_name="eu-central-1")
    return role_clients(operator, "http://127.0.0.1:1")


def test_role_clients_operator_signs_with_its_own_keys(wire: Wire, clients: MakeClient) -> None:
    clients("sqs", None).list_queues()

    assert wire.signed_by == ["OPERATOR"]


def test_role_clients_role_is_assumed_once_for_all_its_calls(wire: Wire, clients: MakeClient) -> None:
    clients("sqs", ROLE_ARN).list_queues()
    clients("dynamodbstreams", ROLE_ARN).list_streams()

    assert wire.signed_by == ["OPERATOR", "ROLE1", "ROLE1"]


def test_role_clients_credentials_about_to_expire_are_renewed(wire: Wire, clients: MakeClient) -> None:
    wire.lifetime = timedelta(seconds=5)
    queue = clients("sqs", ROLE_ARN)
    queue.list_queues()
    wire.lifetime = timedelta(hours=1)

    queue.list_queues()

    assert wire.signed_by[-1] == f"ROLE{wire.assumed}"
    assert wire.assumed >= 2


def test_role_clients_invocation_is_sent_once_and_outwaits_the_longest_function(clients: MakeClient) -> None:
    config = clients("lambda", None).meta.config

    assert config.retries["total_max_attempts"] == 1
    assert config.read_timeout > sessions.FUNCTION_SECONDS_MOST
