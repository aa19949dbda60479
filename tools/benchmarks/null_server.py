"""AWS as a canned answer: what is left of a call is what the function's own processor does."""

import json
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

_SENT = {"MessageId": "m", "MD5OfMessageBody": "0"}
_MESSAGE_SENT = json.dumps(_SENT).encode()
_ENTRIES_MOST = 10
_BATCHES_SENT = [
    json.dumps({"Successful": [{"Id": str(number), **_SENT} for number in range(entries)]}).encode()
    for entries in range(_ENTRIES_MOST + 1)
]


class _Body:
    """Response, as far as botocore reads it."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: Any) -> list[bytes]:
        return [self._content]


def answer_at_once(client: Any) -> None:
    """Lets a client answer itself in place of sending, after it has built and signed the request."""
    service = client.meta.service_model.service_name
    for operation in client.meta.service_model.operation_names:
        client.meta.events.register(f"before-send.{service}.{operation}", _answer)


def _answer(request: Any, event_name: str, **_: Any) -> AWSResponse:
    """All that was sent is accepted; every operation but the queue's two has an empty answer."""
    operation = event_name.rpartition(".")[2]
    content = b"{}"
    if operation == "SendMessage":
        content = _MESSAGE_SENT
    elif operation == "SendMessageBatch":
        content = _BATCHES_SENT[request.body.count(b'"Id":')]  # inside a body the quotes would be escaped
    return AWSResponse(request.url, 200, HTTPHeaders(), _Body(content))
