"""Lambda's runtime API on loopback: hands invocations to a runtime and takes its answers.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import json
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tests.runtime.serving import JsonHandler, served

FUNCTION_ARN = "arn:aws:lambda:eu-west-3:123456789012:function:under-test"
_API = "/2018-06-01/runtime/"


@dataclass(frozen=True)
class Invocation:
    """An event on its way to a function, with the time until which it may run."""

    request_id: str
    event: bytes
    deadline: float

    @classmethod
    def of(cls, event: object, *, seconds: float) -> "Invocation":
        return cls(str(uuid4()), json.dumps(event).encode(), time.time() + seconds)


@dataclass(frozen=True)
class Answer:
    """What the runtime posted, `response` or `error`; the request of a failed start is `init`."""

    kind: str
    request_id: str
    body: Any


class RuntimeApi:
    """The invocations of one runtime, and its answers."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.invocations: queue.SimpleQueue[Invocation | None] = queue.SimpleQueue()
        self.answers: queue.SimpleQueue[Answer] = queue.SimpleQueue()


@contextmanager
def runtime_api(*, keeps_connections: bool = True) -> Iterator[RuntimeApi]:
    """Serve one runtime; without `keeps_connections` each connection ends with its answer."""

    class Handler(JsonHandler):
        def do_GET(self) -> None:  # noqa: N802 - the method name of http.server
            if (invocation := api.invocations.get()) is None:
                self.close_connection = True
                return
            headers = {
                "Lambda-Runtime-Aws-Request-Id": invocation.request_id,
                "Lambda-Runtime-Deadline-Ms": str(int(invocation.deadline * 1000)),
                "Lambda-Runtime-Invoked-Function-Arn": FUNCTION_ARN,
                "Lambda-Runtime-Trace-Id": "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Sampled=0",
            }
            self.reply(200, invocation.event, headers | connection)

        def do_POST(self) -> None:  # noqa: N802 - see above
            request_id, _, kind = self.path.removeprefix(_API).removeprefix("invocation/").partition("/")
            answer = Answer(kind, request_id, json.loads(self.content()))
            self.reply(202, b'{"status": "OK"}', connection)
            api.answers.put(answer)

    connection = {"Connection": "keep-alive" if keeps_connections else "close"}
    with served(Handler) as address:
        api = RuntimeApi(address)
        try:
            yield api
        finally:
            api.invocations.put(None)
