"""Requests as a browser or another program of this machine sends them, byte for byte, signed or not."""

import http.client
import json
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from outbox_local.clients import Endpoint

ATTACKER = "https://attacker.example"
CREATE_QUEUE = json.dumps({"QueueName": "of-an-attacker"}).encode()
PREFLIGHT = {
    "Origin": ATTACKER,
    "Access-Control-Request-Method": "POST",
    "Access-Control-Request-Headers": "*",
}

# Each request that a page of another site can make a browser send, beside its method, over what is sent anyway.
FROM_A_BROWSER: dict[str, tuple[str, dict[str, str]]] = {
    "preflight": ("OPTIONS", PREFLIGHT),
    "preflight of a private network": (
        "OPTIONS",
        PREFLIGHT | {"Access-Control-Request-Private-Network": "true"},
    ),
    "options without an origin": ("OPTIONS", {}),
    "simple request": ("POST", {"Origin": ATTACKER, "Content-Type": "text/plain"}),
    "request of a sandboxed page": ("POST", {"Origin": "null"}),
    "request of another port here": ("POST", {"Origin": "http://127.0.0.1:8000"}),
    "picture": ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}),
    "link": ("GET", {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}),
    "page whose name was bound anew": ("POST", {"Host": "attacker.example:4566"}),
    "page whose name begins like loopback": ("POST", {"Host": "127.0.0.1.attacker.example"}),
    "page whose name ends like loopback": ("POST", {"Host": "attacker-localhost"}),
    "all addresses": ("POST", {"Host": "0.0.0.0"}),  # noqa: S104 a name for this machine in some browsers
}


class Answer(NamedTuple):
    """An answer; nothing at all is status 0."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def is_refusal(self) -> bool:
        """Whether it gives a browser nothing: no success, and no header that lets a page read it."""
        allowing = [name for name in self.headers if name.lower().startswith("access-control-")]
        return not allowing and (self.status == 0 or self.status in (400, 403))


def ask(
    address: tuple[str, int], method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> Answer:
    """Sends exactly these headers, with a Host and a length where they have none."""
    connection = http.client.HTTPConnection(*address, timeout=10)
    host, port = address
    try:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        for name, value in ({"Host": f"{host}:{port}", "Content-Length": str(len(body))} | headers).items():
            connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        return Answer(answer.status, dict(answer.getheaders()), answer.read())
    except (http.client.HTTPException, ConnectionError, TimeoutError):
        return Answer(0, {}, b"")  # closed without an answer, or none in HTTP/1.1
    finally:
        connection.close()


def address_of(endpoint: Endpoint) -> tuple[str, int]:
    """Where it listens."""
    url = urlsplit(endpoint.endpoint_url)
    assert url.hostname is not None
    assert url.port is not None
    return url.hostname, url.port


def signed(
    endpoint: Endpoint,
    body: bytes = CREATE_QUEUE,
    *,
    method: str = "POST",
    path: str = "/",
    keys: Credentials | None = None,
    age: timedelta = timedelta(),
    extra: dict[str, str] | None = None,
) -> dict[str, str]:
    """The headers of a request to SQS, signed with the operator's keys or others, a while ago."""
    given = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": "AmazonSQS.CreateQueue"} | (
        extra or {}
    )
    request: Any = AWSRequest(method, f"{endpoint.endpoint_url}{path}", given, body)
    keys = keys or Credentials(endpoint.access_key_id, endpoint.secret_access_key)
    signer: Any = SigV4Auth(keys, "sqs", endpoint.region)
    request.context["timestamp"] = (datetime.now(UTC) - age).strftime("%Y%m%dT%H%M%SZ")
    signer._modify_request_before_signing(request)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    signer._inject_signature_to_request(request, signer.signature(text, request))
    return dict(request.headers)
