"""Clients for the operator and for the roles of functions, with nothing of the user's own AWS set-up in them.

A profile, a configuration file or a proxy on the user's machine must neither break calls to an emulator on
loopback nor let one of them reach a real account.
"""

import os
import threading
from datetime import datetime
from typing import Any, Protocol

import boto3
import botocore.session
from botocore.config import Config
from botocore.credentials import CredentialProvider, CredentialResolver, DeferredRefreshableCredentials

ROLE_SESSION_NAME = "event-source-mapping"
CONNECT_TIMEOUT_SECONDS = 5
READ_TIMEOUT_SECONDS = 30
CONNECTIONS_MOST = 64  # of a client, which the pollers of several mappings share
FUNCTION_SECONDS_MOST = 900  # the longest a function may run; an invocation waits for it
INVOKE_READ_TIMEOUT_SECONDS = FUNCTION_SECONDS_MOST + 10


def isolated_session() -> botocore.session.Session:
    """A botocore session that reads no profile, configuration file or credentials file."""
    return botocore.session.Session(
        session_vars={
            "profile": (None, None, None, None),
            "config_file": (None, None, os.devnull, None),
            "credentials_file": (None, None, os.devnull, None),
        }
    )


class MakeClient(Protocol):
    """Makes a boto3 client of a service: for a role, or with None for the operator."""

    def __call__(self, service: str, role_arn: str | None) -> Any:
        """Make a client whose credentials stay valid for as long as it is used."""


def role_clients(operator: boto3.session.Session, endpoint_url: str) -> MakeClient:
    """Make clients of one endpoint; a role is assumed with the operator's keys, again before each expiry.

    Args:
        operator: Who may assume the functions' roles and invoke the functions; its region is every client's.
        endpoint_url: Where the emulator listens.
    """
    lock = threading.Lock()  # sessions are not thread-safe; clients are, and so one of each kind is enough
    sessions: dict[str | None, boto3.session.Session] = {None: operator}
    clients: dict[tuple[str, str | None], Any] = {}

    def client_of(session: boto3.session.Session, service: str) -> Any:
        # An invocation is sent once: a second attempt after a lost answer would run the function twice.
        config = (
            _config(INVOKE_READ_TIMEOUT_SECONDS, attempts=1)
            if service == "lambda"
            else _config(READ_TIMEOUT_SECONDS, attempts=3)
        )
        return session.client(service, endpoint_url=endpoint_url, config=config)  # type: ignore[call-overload]  # any service

    def make_client(service: str, role_arn: str | None) -> Any:
        with lock:
            if role_arn is not None and role_arn not in sessions:
                sessions[role_arn] = _role_session(client_of(operator, "sts"), role_arn, operator.region_name)
            if (service, role_arn) not in clients:
                clients[service, role_arn] = client_of(sessions[role_arn], service)
            return clients[service, role_arn]

    return make_client


def _config(read_timeout_seconds: int, *, attempts: int) -> Config:
    return Config(
        proxies={},  # an empty table keeps botocore from looking for one in the environment
        connect_timeout=CONNECT_TIMEOUT_SECONDS,
        read_timeout=read_timeout_seconds,
        max_pool_connections=CONNECTIONS_MOST,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )


def _role_session(sts: Any, role_arn: str, region: str) -> boto3.session.Session:
    session = isolated_session()
    session.register_component("credential_provider", CredentialResolver([_RoleProvider(sts, role_arn)]))
    return boto3.session.Session(botocore_session=session, region_name=region)


class _RoleProvider(CredentialProvider):
    """Gives botocore credentials that it refreshes by itself, some minutes before they expire."""

    METHOD = "assume-role"

    def __init__(self, sts: Any, role_arn: str) -> None:
        super().__init__()
        self._sts = sts
        self._role_arn = role_arn

    def load(self) -> DeferredRefreshableCredentials:
        return DeferredRefreshableCredentials(refresh_using=self._assume, method=self.METHOD)

    def _assume(self) -> dict[str, str]:
        answer = self._sts.assume_role(RoleArn=self._role_arn, RoleSessionName=ROLE_SESSION_NAME)
        credentials = answer["Credentials"]
        expiration: datetime = credentials["Expiration"]
        return {
            "access_key": credentials["AccessKeyId"],
            "secret_key": credentials["SecretAccessKey"],
            "token": credentials["SessionToken"],
            "expiry_time": expiration.isoformat(),
        }
