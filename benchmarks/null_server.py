"""AWS as a canned answer: what is left of a call is what the function's own processor does."""

import json
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders

ENTRIES_MOST = 10
_SENT = {"MessageId": "m", "MD5OfMessageBody": "0"}

# By operation; every other operation answers with an empty object.
ANSWERS: dict[str, dict[str, Any]] = {
    "SendMessage": _SENT,
    "SendMessageBatch": {"Successful": [{"Id": str(number), **_SENT} for number in range(ENTRIES_MOST)]},
}


class _Body:
    """What botocore reads an answer from."""

    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self, **_: Any) -> list[bytes]:
        return [self._content]


def answer_at_once(client: Any) -> None:
    """Lets a client answer itself in place of sending, after it has built and signed the request."""
    service = client.meta.service_model.service_name
    for operation in client.meta.service_model.operation_names:
        content = json.dumps(ANSWERS.get(operation, {})).encode()
        client.meta.events.register(f"before-send.{service}.{operation}", _answering(content))


def _answering(content: bytes) -> Any:
    def answer(request: Any, **_: Any) -> AWSResponse:
        return AWSResponse(request.url, 200, HTTPHeaders(), _Body(content))

    return answer
