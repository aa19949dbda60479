"""A signature holds for its own request alone: no character of it can be another one."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from outbox_local.clients import Endpoint
from outbox_local.emulator.signatures import RefusedError, claimed, verify
from tests.outbox_local.requests import CREATE_QUEUE, signed

Request = tuple[str, str, str, dict[str, str], bytes]  # method, path, query, headers, body
CHANGES_LEAST = 600
ENDPOINT = Endpoint.with_new_keys("http://127.0.0.1:4566", "eu-central-1")
TARGETS = [("POST", "/"), ("GET", "/2015-03-31/functions/arn%3Aaws%3Alambda?Marker=a%2Bb&MaxItems=10&z")]


@pytest.fixture(autouse=True)
def operator(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENDPOINT.environment.items():
        monkeypatch.setenv(name, value)


def is_accepted(request: Request) -> bool:
    method, path, query, headers, body = request
    scope: dict[str, Any] = {
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
    }
    try:
        verify(claimed(scope, headers), scope, body)
    except RefusedError:
        return False
    return True


def request_to(method: str, target: str) -> Request:
    url = urlsplit(target)
    named = {name.lower(): value for name, value in signed(ENDPOINT, method=method, path=target).items()}
    return method, url.path, url.query, named | {"host": "127.0.0.1:4566"}, CREATE_QUEUE


def changed(text: str) -> Iterator[str]:
    """The text with each of its characters replaced by another, removed, and doubled."""
    for place, character in enumerate(text):
        before, after = text[:place], text[place + 1 :]
        yield before + ("b" if character == "a" else "a") + after
        yield before + after
        yield before + 2 * character + after


def changes_of(request: Request) -> Iterator[Request]:
    method, path, query, headers, body = request
    yield from ((other, path, query, headers, body) for other in changed(method))
    yield from ((method, f"/{other}", query, headers, body) for other in changed(path.removeprefix("/")))
    yield from ((method, path, other, headers, body) for other in changed(query))
    yield from ((method, path, query, headers, other.encode()) for other in changed(body.decode()))
    for name, value in headers.items():
        yield from ((method, path, query, headers | {name: other}, body) for other in changed(value))
        yield method, path, query, {each: text for each, text in headers.items() if each != name}, body
    yield method, path, query, headers | {"x-amz-target": "AmazonSQS.DeleteQueue"}, body
    yield method, path, query, headers | {"x-amz-added": "unsigned"}, body


def normal(request: Request) -> Request:
    """The request without what SigV4 leaves open: doubled slashes, and spaces between parts of an authorization."""
    method, path, query, headers, body = request
    authorization = headers.get("authorization", "").replace(", ", ",")
    return method, path.replace("//", "/"), query, headers | {"authorization": authorization}, body


@pytest.mark.parametrize(("method", "target"), TARGETS)
def test_signature_holds_for_no_request_that_differs_in_one_character(method: str, target: str) -> None:
    request = request_to(method, target)

    changes = [each for each in changes_of(request) if normal(each) != normal(request)]
    accepted = [each for each in changes if is_accepted(each)]

    print(f"{len(changes)} changed requests to {target}")  # noqa: T201 the size of the search
    assert is_accepted(request)
    assert accepted == []
    assert len(changes) >= CHANGES_LEAST
