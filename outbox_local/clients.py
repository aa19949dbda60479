"""AWS clients for the local AWS alone: keys of this start, one endpoint, nothing of the user's own set-up."""

import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus
from typing import Any

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.httpsession import URLLib3Session

from outbox_local.event_sources.sessions import MakeClient, isolated_session, role_clients

SECRET_BYTES = 30  # 40 characters, as AWS has them
GET_TIMEOUT_SECONDS = 30
OWN_PATHS = "local"  # the service that requests to paths outside the AWS API are signed for


@dataclass(frozen=True)
class Endpoint:
    """Where a local AWS answers, as which region, and the operator's keys, which are made anew for each start."""

    endpoint_url: str
    region: str
    access_key_id: str
    secret_access_key: str = field(repr=False)

    @classmethod
    def with_new_keys(cls, endpoint_url: str, region: str) -> "Endpoint":
        """An endpoint that nobody has keys for yet."""
        access_key_id = (
            f"LOCAL{secrets.token_hex(8).upper()}"  # 21 characters, so never taken for a key of AWS
        )
        return cls(endpoint_url, region, access_key_id, secrets.token_urlsafe(SECRET_BYTES))

    @property
    def environment(self) -> dict[str, str]:
        """The variables that let a program of AWS's SDKs call it as the operator."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint_url,
            "AWS_ACCESS_KEY_ID": self.access_key_id,
            "AWS_SECRET_ACCESS_KEY": self.secret_access_key,
        }

    def session(self) -> boto3.Session:
        """A session that signs with the operator's keys and reads no file or profile of the user."""
        return boto3.Session(
            aws_access_key_id=self.access_key_id,
            aws_secret_access_key=self.secret_access_key,
            region_name=self.region,
            botocore_session=isolated_session(),
        )

    def get(self, path: str) -> bytes:
        """The answer to a signed request for a path that is not part of the AWS API.

        Raises:
            HTTPClientError: nothing answers there.
            PermissionError: the keys are not those of the local AWS there.
        """
        request = AWSRequest("GET", f"{self.endpoint_url}{path}")
        keys = Credentials(self.access_key_id, self.secret_access_key)
        SigV4Auth(keys, OWN_PATHS, self.region).add_auth(request)
        answer = URLLib3Session(proxies={}, timeout=GET_TIMEOUT_SECONDS).send(request.prepare())
        if answer.status_code != HTTPStatus.OK:
            raise PermissionError(f"{self.endpoint_url}{path} answers {answer.status_code}: {answer.text}")
        return bytes(answer.content)


class MadeOnce:
    """Clients by service name, each made once: botocore's clients may be shared between threads, its sessions not."""

    def __init__(self, make: Callable[[str], Any]) -> None:
        self._make = make
        self._made: dict[str, Any] = {}
        self._making = threading.Lock()

    def __call__(self, service: str) -> Any:
        """The client of a service."""
        with self._making:
            if service not in self._made:
                self._made[service] = self._make(service)
            return self._made[service]


class Clients(MadeOnce):
    """The operator's clients of one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.endpoint = endpoint
        self.endpoint_url = endpoint.endpoint_url
        self.region = endpoint.region
        # An empty table of proxies keeps botocore from looking for one in the environment.
        config = Config(proxies={}, retries={"mode": "standard", "total_max_attempts": 3})
        super().__init__(partial(endpoint.session().client, endpoint_url=self.endpoint_url, config=config))

    def of_roles(self) -> MakeClient:
        """Makes clients for the roles of functions, and the operator's, for what runs those functions."""
        return role_clients(self.endpoint.session(), self.endpoint_url)
