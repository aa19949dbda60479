"""Lets nobody but its user call the emulator: no web page, no other user of the machine.

A page can make a browser send requests to loopback, also under a name of its own that it binds to 127.0.0.1, so
what comes from a browser is refused before anything of it is read. Everybody else signs: with the operator's keys,
which are made for each start, or with those of a role's session. ministack 1.5.33 answers preflights for every site
and never checks a signature of the operator's.
"""

import hmac
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from http import HTTPStatus
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from ministack import app as ministack
from ministack.core import iam_evaluator, lambda_runtime
from ministack.core.responses import _account_from_sts_session
from ministack.services import lambda_svc, sts

from local.emulator.judgements import Application

LOOPBACK_NAMES = {"127.0.0.1", "localhost"}
OF_BROWSERS = (
    "origin",
    "sec-fetch-site",
)  # no client of AWS sends them, and no page can keep its browser from it
OPERATORS_PATHS = ("/_", "/health")  # the emulator's own, which no policy is asked about
AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=([^/, ]+)/(\d{8})/([^/, ]+)/([^/, ]+)/aws4_request, ?"
    r"SignedHeaders=([^=, ]+), ?Signature=([0-9a-f]{64})"
)
DATE_FORMAT = "%Y%m%dT%H%M%SZ"
LONGEST_SKEW = timedelta(minutes=15)
SECRET_BYTES = 30
TOKEN_BYTES = 90


class RefusedError(Exception):
    """Raised when a request is not its user's; the code is the one that AWS would answer."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Claim:
    """Whose request it says it is, and the signature that shall prove it."""

    keys: Credentials
    timestamp: str
    region: str
    service: str
    signed_headers: Mapping[str, str]
    signature: str


def install() -> None:
    """Takes out of the emulator what the guard could not see."""
    # It derives the keys of a function from the names of function and role, which anybody can guess.
    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = new_session_of_function
    # It would serve these by a runtime API on a port of its own, which asks nobody who he is.
    lambda_svc._execute_function_provided = lambda_svc._execute_function_provided_warm = refuse_invocation


def new_session_of_function(config: Mapping[str, Any]) -> dict[str, str]:
    """The variables with the keys of a function's role, for one execution environment."""
    _, partition, _, _, account, *_ = config["FunctionArn"].split(":")
    name, role = config["FunctionName"], config["Role"].rpartition("/")[2]
    key, secret = f"ASIA{secrets.token_hex(8).upper()}", secrets.token_urlsafe(SECRET_BYTES)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    session = {
        "Arn": f"arn:{partition}:sts::{account}:assumed-role/{role}/{name}",
        "UserId": f"{role}:{name}",
        "SecretAccessKey": secret,
        "SessionToken": token,
    }
    sts.register_session(key, session)
    return {"AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret, "AWS_SESSION_TOKEN": token}


def refuse_invocation(*_: Any) -> dict[str, Any]:
    """The failed invocation of a function with a runtime that listens."""
    body = {
        "errorType": "Runtime.InvalidRuntime",
        "errorMessage": "The local AWS runs no function with a runtime of its own: set runtime to a Python.",
    }
    return {"body": body, "error": True, "function_error": "Unhandled", "log": ""}


def guarded(app: Application) -> Application:
    """The application behind the guard."""

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close"})
            return
        headers = _joined(scope["headers"])
        if not is_of_a_program(scope, headers):
            await _answer(
                send,
                HTTPStatus.FORBIDDEN,
                {"content-type": "text/plain"},
                b"No browser may call the local AWS.\n",
            )
            return
        try:
            claim = claimed(scope, headers)
            body = await _read(receive)
            verify(claim, scope, body)
        except RefusedError as error:
            await _answer(send, *_as_aws_says_it(error, scope, headers))
            return
        await app(scope, _again(body, receive), _without_headers_for_browsers(send))

    return application


def is_of_a_program(scope: Any, headers: Mapping[str, str]) -> bool:
    """Whether it has no mark of a browser, and names this machine as no page of another site can."""
    name = headers.get("host", "").rpartition(":")[0] or headers.get("host")
    is_from_a_page = scope["method"] == "OPTIONS" or any(mark in headers for mark in OF_BROWSERS)
    return name in LOOPBACK_NAMES and not is_from_a_page


def claimed(scope: Any, headers: Mapping[str, str]) -> Claim:
    """What the headers claim, of a key that is known here and in time.

    Raises:
        RefusedError: There is no such claim, or a role's on what is only the operator's.
    """
    parts = AUTHORIZATION.fullmatch(headers.get("authorization", ""))
    if not parts:
        raise RefusedError(
            "MissingAuthenticationToken", "The request must be signed in its Authorization header."
        )
    key, day, region, service, signed, signature = parts.groups()
    names = signed.split(";")
    unsigned = [name for name in headers if name.startswith("x-amz-") and name not in names]
    timestamp = headers.get("x-amz-date", "")
    if unsigned or "host" not in names or not {*names} <= headers.keys() or not timestamp.startswith(day):
        raise RefusedError("IncompleteSignature", "Host, X-Amz-Date and every X-Amz header must be signed.")
    _refuse_another_time(timestamp)
    token = headers.get("x-amz-security-token")
    account = _account_from_sts_session(key) or iam_evaluator.find_iam_access_key_account(key)
    known = iam_evaluator.resolve_credential(key, account, token)
    if isinstance(known, iam_evaluator.CredentialResolutionError):
        raise RefusedError(known.code, known.message)
    if scope["path"].startswith(OPERATORS_PATHS) and known.principal_type != "Root":
        raise RefusedError("AccessDeniedException", "This path is for the operator's keys alone.")
    keys = Credentials(key, known.secret_access_key)
    return Claim(keys, timestamp, region, service, {name: headers[name] for name in names}, signature)


def verify(claim: Claim, scope: Any, body: bytes) -> None:
    """Computes the signature anew, as the client must have done.

    Raises:
        RefusedError: It is another one: of another secret, or of another request.
    """
    url = f"http://{claim.signed_headers['host']}{scope['raw_path'].decode('latin-1')}"
    if scope["query_string"]:
        url += f"?{scope['query_string'].decode('latin-1')}"
    request: Any = AWSRequest(scope["method"], url, claim.signed_headers, body)
    request.context["timestamp"] = claim.timestamp
    signer = SigV4Auth(claim.keys, claim.service, claim.region)
    text = signer.string_to_sign(request, signer.canonical_request(request))
    is_right = hmac.compare_digest(signer.signature(text, request), claim.signature)
    declared = claim.signed_headers.get("x-amz-content-sha256")
    if not is_right or declared not in (None, sha256(body).hexdigest()):
        raise RefusedError(
            "SignatureDoesNotMatch",
            "The signature is not that of this request with the keys of this start of the local AWS.",
        )


def _refuse_another_time(timestamp: str) -> None:
    try:
        signed_at = datetime.strptime(timestamp, DATE_FORMAT).replace(tzinfo=UTC)
    except ValueError as error:
        raise RefusedError("IncompleteSignature", "X-Amz-Date is no date.") from error
    if abs(datetime.now(UTC) - signed_at) > LONGEST_SKEW:
        raise RefusedError("RequestTimeTooSkewed", f"X-Amz-Date must be within {LONGEST_SKEW} of now.")


def _joined(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("utf-8", "replace")
        joined[name] = f"{joined[name]},{value}" if name in joined else value
    return joined


async def _read(receive: Any) -> bytes:
    parts = []
    while True:
        message = await receive()
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            return b"".join(parts)


def _again(body: bytes, receive: Any) -> Any:
    """Receives the body that was read, then what comes after it."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_again() -> Any:
        return left.pop() if left else await receive()

    return receive_again


def _without_headers_for_browsers(send: Any) -> Any:
    async def send_without(message: Any) -> None:
        if "headers" in message:
            kept = [each for each in message["headers"] if not each[0].lower().startswith(b"access-control-")]
            message = {**message, "headers": kept}
        await send(message)

    return send_without


def _as_aws_says_it(
    error: RefusedError, scope: Any, headers: Mapping[str, str]
) -> tuple[int, dict[str, str], bytes]:
    """The refusal in the protocol of the service that was asked."""
    service = ministack.detect_service(scope["method"], scope["path"], headers, {})
    said = iam_evaluator.AuthError(error.code, str(error))
    _, answered, body = ministack._credential_failure(service, "", "refused", said, headers)
    return HTTPStatus.FORBIDDEN, answered, body


async def _answer(send: Any, status: int, headers: Mapping[str, str], body: bytes) -> None:
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
