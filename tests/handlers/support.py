"""Records, failures, clocks and recording clients for the handlers' tests."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from botocore.exceptions import ClientError

import orders
from outbox.consume import consume
from outbox.effects import Effect
from outbox.forward import forward
from outbox.invocation import BatchResponse
from outbox.retry import Backoff
from outbox.transaction import IncomingEvent

FUNCTION_TIMEOUT_SECONDS = 10.0
RECEIVE_LIMIT = 5
CONFLICT = "TransactionConflict"
SOURCE_TABLE = "source"
PROJECTION_TABLE = "projection"


@dataclass
class Clock:
    """Virtual time left in one invocation: sleeping costs nothing real."""

    remaining: float = FUNCTION_TIMEOUT_SECONDS
    pauses: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.remaining -= seconds

    def backoff(self, chance: Callable[[], float] = lambda: 0.5) -> Backoff:
        return Backoff(lambda: self.remaining, self.sleep, chance)


def using_time_up(clock: Clock, answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The answer of a call that takes nearly all of an invocation's time."""

    def answer_late(request: Any) -> Any:
        clock.remaining = 1.0
        return answer(request)

    return answer_late


class Context:
    """Lambda's context object, with all its time left."""

    function_name = "function-under-test"

    def get_remaining_time_in_millis(self) -> int:
        return int(FUNCTION_TIMEOUT_SECONDS * 1000)


@contextmanager
def invocation_of_lambda(request_id: str) -> Iterator[None]:
    """Gives the records of `logging` the id of an invocation, as Lambda's runtime does."""

    def add(record: logging.LogRecord) -> bool:
        record.aws_request_id = request_id
        return True

    handler = logging.NullHandler()
    handler.addFilter(add)
    logging.root.addHandler(handler)
    try:
        yield
    finally:
        logging.root.removeHandler(handler)


Script = Exception | BaseException | Mapping[str, Any] | Callable[[Mapping[str, Any]], Any] | None


class Recorder:
    """A client that notes each call, then follows a script: raise, answer, or (None) really do it.

    Given an operation as `only`, it does this for that one alone; all others are the client's own.
    """

    def __init__(self, client: Any, *script: Script, default: Script = None, only: str = "") -> None:
        self.client = client
        self.script = list(script)
        self.default = default
        self.only = only
        self.calls: list[tuple[str, Mapping[str, Any]]] = []

    def __getattr__(self, operation: str) -> Any:
        if self.only and operation != self.only:
            return getattr(self.client, operation)

        def call(**request: Any) -> Any:
            self.calls.append((operation, request))
            step = self.script.pop(0) if self.script else self.default
            if isinstance(step, BaseException):
                raise step
            if callable(step):
                return step(request)
            if step is not None:
                return step
            return getattr(self.client, operation)(**request)

        return call

    @property
    def operations(self) -> set[str]:
        return {operation for operation, _ in self.calls}

    @property
    def write_units(self) -> int:
        """Cost of the transactions, whether stored or cancelled."""
        return sum(_write_units(action) for _, request in self.calls for action in request["TransactItems"])

    @property
    def bodies(self) -> list[list[str]]:
        """The bodies of every send call, in order."""
        return [[entry["MessageBody"] for entry in request["Entries"]] for _, request in self.calls]


WRITE_UNIT_BYTES = 1024


def _write_units(action: Mapping[str, Any]) -> int:
    """Two units for each started kilobyte of an item written in a transaction; failed conditions cost the same.

    https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
    """
    item = action["Put"]["Item"] if "Put" in action else action["Update"]["ExpressionAttributeValues"]
    size = sum(len(name) + len(next(iter(value.values()))) for name, value in item.items())
    return 2 * math.ceil(size / WRITE_UNIT_BYTES)


def error(code: str, **answer: Any) -> ClientError:
    return ClientError(cast("Any", {"Error": {"Code": code, "Message": "stubbed"}, **answer}), "Operation")


def cancelled(*reasons: str | Mapping[str, Any]) -> ClientError:
    """A cancelled transaction; a reason is a code, or a mapping with Code and Item."""
    listed = [{"Code": reason} if isinstance(reason, str) else reason for reason in reasons]
    return error("TransactionCanceledException", CancellationReasons=listed)


def order_body(order_id: str = "a", amount_cents: int = 1000) -> str:
    return orders.event_of(orders.Order(order_id, amount_cents)).body


def message(body: object, message_id: str = "m-1") -> dict[str, Any]:
    return {"messageId": message_id, "body": body, "eventSource": "aws:sqs"}


def messages(*bodies: object) -> list[dict[str, Any]]:
    return [message(body, f"m-{number}") for number, body in enumerate(bodies, start=1)]


def outbox_image(event_id: str = "e-1", body: Any = None) -> dict[str, Any]:
    return {
        "PK": {"S": f"OUTBOX#{event_id}"},
        "SK": {"S": "EVENT"},
        "kind": {"S": "OUTBOX"},
        "event_id": {"S": event_id},
        "body": {"S": f"body of {event_id}"} if body is None else body,
    }


def stream_record(
    sequence_number: str, image: Mapping[str, Any] | None, event_name: str = "INSERT", **others: Any
) -> dict[str, Any]:
    change: dict[str, Any] = {"SequenceNumber": sequence_number, "StreamViewType": "NEW_IMAGE"}
    if image is not None:
        change["NewImage"] = image
    return {"eventName": event_name, "eventSource": "aws:dynamodb", "dynamodb": change, **others}


def inserts(*bodies: Any) -> list[dict[str, Any]]:
    """Outbox inserts e-1, e-2, ... with sequence numbers 101, 102, ..."""
    return [
        stream_record(
            str(100 + number), outbox_image(f"e-{number}", {"S": body} if isinstance(body, str) else body)
        )
        for number, body in enumerate(bodies, start=1)
    ]


def identifiers(response: BatchResponse) -> list[str]:
    assert set(response) == {"batchItemFailures"}
    assert all(set(failure) == {"itemIdentifier"} for failure in response["batchItemFailures"])
    return [failure["itemIdentifier"] for failure in response["batchItemFailures"]]


def deliver(
    client: Any, records: Sequence[Mapping[str, Any]], clock: Clock | None = None, **options: Any
) -> list[str]:
    """One invocation of the orders consumer; the reported message ids."""
    backoff = (clock or Clock()).backoff()
    settings: dict[str, Any] = {"parse": orders.sales().parse, "backoff": backoff, **options}
    return identifiers(consume(client, table=PROJECTION_TABLE, records=records, **settings))


def deliver_effects(client: Any, **effects: Iterable[Effect]) -> list[str]:
    """One invocation with an event for each name, in this order, that has these effects; the names reported."""
    names = list(effects)
    reported = deliver(client, messages(*names), parse=lambda name: IncomingEvent.of(name, {}, effects[name]))
    return [names[int(message_id.removeprefix("m-")) - 1] for message_id in reported]


def relay(
    client: Any, queues: str | Sequence[str], records: Sequence[Any], clock: Clock | None = None
) -> list[str]:
    """One invocation of the relay to one queue or several, by URL; the reported sequence number, if any."""
    urls = [queues] if isinstance(queues, str) else queues
    backoff = (clock or Clock()).backoff()
    return identifiers(
        forward(client, queue_urls=urls, records=records, backoff=backoff, function_name="relay-function")
    )


def received(sqs: Any, url: str) -> list[str]:
    """Every body that is on a queue."""
    bodies: list[str] = []
    while found := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
        bodies += [message["Body"] for message in found]
    return bodies


def send_answer(request: Mapping[str, Any], **faults: tuple[str, bool]) -> dict[str, Any]:
    """A 200 answer in which the entries with these bodies failed: code, sender's fault."""
    failed = [
        {
            "Id": entry["Id"],
            "Code": faults[entry["MessageBody"]][0],
            "SenderFault": faults[entry["MessageBody"]][1],
        }
        for entry in request["Entries"]
        if entry["MessageBody"] in faults
    ]
    ids = {entry["Id"] for entry in failed}
    return {
        "Failed": failed,
        "Successful": [{"Id": e["Id"]} for e in request["Entries"] if e["Id"] not in ids],
    }


def items(client: Any, table: str) -> dict[str, dict[str, str]]:
    """Every item of a table by PK, each value as text without its type."""
    return {item["PK"]: item for item in _scan(client, table)}


def shards(client: Any) -> dict[str, tuple[int, int]]:
    """order_count and revenue_cents of every shard of the sales total, by SK."""
    return {
        item["SK"]: (int(item["order_count"]), int(item["revenue_cents"]))
        for item in _scan(client, PROJECTION_TABLE)
        if item["PK"] == "SALES"
    }


def total(client: Any) -> tuple[int, int] | None:
    """order_count and revenue_cents of all shards together, or None before the first event."""
    found = shards(client).values()
    return (sum(count for count, _ in found), sum(cents for _, cents in found)) if found else None


def _scan(client: Any, table: str) -> list[dict[str, str]]:
    return [
        {name: str(next(iter(value.values()))) for name, value in item.items()}
        for page in client.get_paginator("scan").paginate(TableName=table)
        for item in page["Items"]
    ]
