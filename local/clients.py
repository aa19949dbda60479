"""AWS clients for the local AWS alone: dummy credentials, one endpoint, nothing of the user's own set-up."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import boto3
from botocore.config import Config

from local.event_sources.sessions import isolated_session

LOCAL_ACCESS_KEY_ID = "test"
LOCAL_SECRET_ACCESS_KEY = "test"  # noqa: S105 the emulator's own dummy credential, valid nowhere else


def local_session(region: str) -> boto3.Session:
    """A session that signs with the dummy credentials and reads no file or profile of the user."""
    return boto3.Session(
        aws_access_key_id=LOCAL_ACCESS_KEY_ID,
        aws_secret_access_key=LOCAL_SECRET_ACCESS_KEY,
        region_name=region,
        botocore_session=isolated_session(),
    )


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

    def __init__(self, endpoint_url: str, region: str) -> None:
        self.endpoint_url = endpoint_url
        self.region = region
        # An empty table of proxies keeps botocore from looking for one in the environment.
        config = Config(proxies={}, retries={"mode": "standard", "total_max_attempts": 3})
        super().__init__(partial(local_session(region).client, endpoint_url=endpoint_url, config=config))
