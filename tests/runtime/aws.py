"""The simulated DynamoDB and SQS behind the wire protocol that the SDK speaks to both."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from botocore.exceptions import ClientError

from tests.runtime.serving import JsonHandler, served
from tools.simulation.clock import VirtualClock
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.sqs import Queue, Sqs

_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
# Text where the SDK expects lists: it raises an error that is not one of its own.
NO_ANSWER = {"ConsumedCapacity": "none", "Failed": "none"}
DAY_SECONDS = 86_400.0


class Aws:
    """One table and one queue of each name that is asked for, and the operations that were called."""

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.queues: dict[str, Queue] = {}
        self.called: list[str] = []
        self.is_broken = False
        self.endpoint = ""
        self.keeps_connections = True
        self._lock = threading.Lock()

    def table(self, name: str) -> Table:
        return self.tables.setdefault(name, Table(name))

    def queue(self, url: str) -> Queue:
        return self.queues.setdefault(url, Queue(url, VirtualClock(0.0), retention_seconds=DAY_SECONDS))

    def answer(self, target: str, request: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the object that the service would answer with."""
        service, _, operation = target.partition(".")
        with self._lock:
            self.called.append(operation)
            client: Any
            if service == "AmazonSQS":
                client = Sqs([self.queue(request["QueueUrl"])])
            else:
                client = DynamoDB([self.table(name) for name in _tables_of(request)])
            try:
                return 200, getattr(client, _CAPITAL.sub("_", operation).lower())(**request)
            except ClientError as error:
                details: dict[str, Any] = dict(error.response)
                said = details.pop("Error")
                return 400, {"__type": f"aws#{said['Code']}", "message": said["Message"], **details}


@contextmanager
def fake_aws() -> Iterator[Aws]:
    """Serve one; without `keeps_connections` each connection is closed behind its answer, and not announced."""
    aws = Aws()

    class Handler(JsonHandler):
        def do_POST(self) -> None:  # noqa: N802 - the method name of http.server
            status, answer = aws.answer(self.headers["X-Amz-Target"], json.loads(self.content()))
            self.reply(status, json.dumps(NO_ANSWER if aws.is_broken else answer).encode(), {})
            self.close_connection = self.close_connection or not aws.keeps_connections

    with served(Handler) as address:
        aws.endpoint = f"http://{address}"
        yield aws


def _tables_of(request: dict[str, Any]) -> set[str]:
    """Every table that a request names."""
    if "TransactItems" in request:
        return {next(iter(action.values()))["TableName"] for action in request["TransactItems"]}
    return set(request["RequestItems"]) if "RequestItems" in request else {request["TableName"]}
