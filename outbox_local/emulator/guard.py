"""Restricts the emulator to its user: no web page and no other user of the machine can call it.

A page can make a browser send requests to loopback, also under a name of its own that it binds to 127.0.0.1, so
what comes from a browser is refused before anything of it is read. Everybody else signs: with the operator's keys,
which are made for each start, or with those of a role's session. ministack 1.5.33 answers preflights for every site
and never checks a signature of the operator's.
"""

import secrets
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from ministack import app as ministack
from ministack.core import iam_evaluator, lambda_runtime
from ministack.services import lambda_svc, sts

from outbox_local.emulator.authorization_log import Application
from outbox_local.emulator.signatures import RefusedError, claimed, verify

LOOPBACK_NAMES = {"127.0.0.1", "localhost"}
# No client of AWS sends them, and no page can keep its browser from sending them.
OF_BROWSERS = ("origin", "sec-fetch-site")
NOT_FOR_BROWSERS = b"No browser may call the local AWS.\n"
SECRET_BYTES = 30
TOKEN_BYTES = 90


def install() -> None:
    """Takes out of the emulator what the guard could not see."""
    # It derives the keys of a function from the names of function and role, which anybody can guess.
    lambda_runtime.execution_credentials = lambda_svc.execution_credentials = new_session_of_function
    # It would serve these by a runtime API on a port of its own, which asks nobody who he is.
    lambda_svc._execute_function_provided = lambda_svc._execute_function_provided_warm = refuse_invocation
    # It would verify the signatures of roles once more, and never those of the operator.
    iam_evaluator.authenticate = lambda *_: None


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
            await _answer(send, HTTPStatus.FORBIDDEN, {"content-type": "text/plain"}, NOT_FOR_BROWSERS)
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
