"""Every handler on a virtual clock on which each attempt of the SDK takes what it may take at the most.

`Service` is the SDK as the handlers meet it: two attempts a call, a pause between them, and before each the question
that the clients of `outbox.clients` ask. test_time.py holds it to the real SDK.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from unittest.mock import patch

from botocore.exceptions import ClientError, ReadTimeoutError

import orders
from outbox.clients import CONFIG, before_attempt
from outbox.errors import OutboxError
from outbox.heal import Places, Schedule, heal
from outbox.intents import intent, perform_intents
from outbox.items import ROW_PREFIX
from outbox.retry import ANSWER_SECONDS, Backoff
from outbox.rows import INDEX_SHARDS
from outbox.wire import to_wire
from tests.handlers.commands import COMMANDS, send
from tests.handlers.support import CONFLICT, cancelled, deliver, error, inserts, messages, order_body, relay

ATTEMPT_SECONDS = 3 * CONFIG.connect_timeout  # TCP, TLS and the answer, each at its timeout
SDK_PAUSE_SECONDS = 1.0
QUICK_SECONDS = 0.02


class Course(NamedTuple):
    """One attempt: how long it takes, and what it ends with; None is an answer."""

    seconds: float
    error: Exception | None = None
    is_tried_again: bool = False
    """By the SDK itself."""


COURSES = (
    Course(QUICK_SECONDS),
    Course(ATTEMPT_SECONDS),
    Course(ATTEMPT_SECONDS, ReadTimeoutError(endpoint_url="https://aws"), is_tried_again=True),
    Course(CONFIG.read_timeout, ReadTimeoutError(endpoint_url="https://aws"), is_tried_again=True),
    Course(QUICK_SECONDS, error("ThrottlingException"), is_tried_again=True),
    Course(QUICK_SECONDS, cancelled(CONFLICT, CONFLICT)),
    Course(ATTEMPT_SECONDS, cancelled(CONFLICT, CONFLICT)),
)


@dataclass
class Service:
    """DynamoDB and SQS at once, on a clock that only they and pauses move."""

    left: float
    courses: Iterator[Course]
    stored: set[str] = field(default_factory=set)
    """Done: keys of stored items, bodies by queue."""
    starts: list[float] = field(default_factory=list)
    """The time left at the start of each attempt."""
    rows: int = 0

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.left -= seconds

    def backoff(self) -> Backoff:
        return Backoff(lambda: self.left, self.sleep, lambda: 1.0)

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        return lambda **request: self._call(operation, request)

    def get_paginator(self, _: str) -> Any:
        return self

    def paginate(self, **request: Any) -> Iterator[Any]:
        while True:
            page = self.query(**request)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def _call(self, operation: str, request: Mapping[str, Any]) -> Any:
        attempts = CONFIG.retries["total_max_attempts"]
        for attempt in itertools.count(1):
            before_attempt.get()()
            self.starts.append(self.left)
            course = next(self.courses)
            self.left -= course.seconds
            if course.error is None:
                return getattr(self, f"_{operation}")(request)
            if attempt == attempts or not course.is_tried_again:
                raise _for_actions(course.error, len(request.get("TransactItems", ()))).with_traceback(
                    None
                ) from None
            self.left -= SDK_PAUSE_SECONDS
        raise AssertionError

    def _transact_write_items(self, request: Any) -> dict[str, Any]:
        for action in request["TransactItems"]:
            self.stored.add(action["Put"]["Item"]["PK"]["S"] if "Put" in action else "")
        return {}

    def _send_message_batch(self, request: Any) -> dict[str, Any]:
        self.stored |= {f"{request['QueueUrl']} {entry['MessageBody']}" for entry in request["Entries"]}
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}

    def _batch_get_item(self, request: Any) -> dict[str, Any]:
        [table] = request["RequestItems"]
        return {"Responses": {table: []}}

    def _query(self, request: Any) -> dict[str, Any]:
        self.rows += 1
        event_id = f"order-created:{self.rows}"
        if "IndexName" in request:
            item: Any = {"PK": f"{ROW_PREFIX}{event_id}", "SK": "EVENT", "body": order_body(str(self.rows))}
        else:
            item = intent(event_id, "send-mail", {}).item
        more: dict[str, Any] = {} if "ExclusiveStartKey" in request else {"LastEvaluatedKey": {}}
        return {"Items": [to_wire(item)], **more}


def _for_actions(found: Exception, actions: int) -> Exception:
    """A cancellation has a reason for each action of its transaction."""
    if isinstance(found, ClientError) and "CancellationReasons" in found.response:
        return cancelled(*[CONFLICT] * actions)
    return found


Handler = Callable[[Service], None]
"""One invocation; it asserts that what it answers was done."""


def _committed(command: str) -> Handler:
    def run(service: Service) -> None:
        try:
            send(command, service, service)  # type: ignore[arg-type] # it is the clock, too
        except (OutboxError, ClientError, ReadTimeoutError):
            return
        assert f"{ROW_PREFIX}e-1" in service.stored, "accepted, and not stored"

    return run


def _relayed(queues: int, *bodies: str) -> Handler:
    urls = [f"queue-{number}" for number in range(queues)]

    def run(service: Service) -> None:
        reported = relay(service, urls, inserts(*bodies), service)  # type: ignore[arg-type] # it is the clock, too
        done = bodies[: int(reported[0]) - 101] if reported else bodies
        assert {f"{url} {body}" for url in urls for body in done} <= service.stored, "forwarded, and not sent"

    return run


def _consumed(service: Service) -> None:
    bodies = [order_body(each) for each in "ab"]
    reported = deliver(service, messages(*bodies), service)  # type: ignore[arg-type] # it is the clock, too
    for number, each in enumerate("ab", start=1):
        is_stored = f"INBOX#{orders.event_id_of(each)}" in service.stored
        assert is_stored or f"m-{number}" in reported, "acknowledged, and not applied"


class Inline(Executor):
    """One shard after the other: the virtual clock adds up what threads would wait for side by side."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as failed:  # noqa: BLE001 - its reader raises it
            future.set_exception(failed)
        return future


WINDOWS, PAGES = 2, 2
ROWS = WINDOWS * len(INDEX_SHARDS) * PAGES


def _reconciled(service: Service) -> None:
    try:
        with patch("outbox.heal.ThreadPoolExecutor", Inline):
            found = heal(
                service,  # type: ignore[arg-type] # stands for a client
                service,  # type: ignore[arg-type] # stands for a client
                places=Places("source", "index", "projection", "queue"),
                schedule=Schedule(interval_minutes=5, margin_seconds=900, horizon_seconds=900 * WINDOWS),
                at=1_800_000_000.0,
                backoff=service.backoff(),
                function_name="reconciler",
            )
    except (OutboxError, ClientError, ReadTimeoutError):
        return
    assert found["healed"] == found["rows"] == len(service.stored) == ROWS, (
        "finished, and not every row was checked"
    )


def _performed(service: Service) -> None:
    try:
        found = perform_intents(
            service,  # type: ignore[arg-type] # stands for a client
            table="projection",
            name="send-mail",
            call=lambda _: None,
            backoff=service.backoff(),
        )
    except (OutboxError, ClientError, ReadTimeoutError):
        return
    assert len(found.done) <= len(service.stored), "marked, and not stored"


HANDLERS: dict[str, Handler] = {
    **{command: _committed(command) for command in COMMANDS},
    **{f"relay to {queues}": _relayed(queues, "b1") for queues in (1, 2, 3)},
    "relay of several calls": _relayed(2, *(f"b{number}" for number in range(11))),
    "consumer": _consumed,
    "reconciler": _reconciled,
    "intents worker": _performed,
}

# In steps that meet each attempt's and each pause's end from both sides.
STARTS: Sequence[float] = (
    -3.0,
    0.0,
    0.01,
    2.0,
    4.5,
    6.0,
    *(6.4 + number / 10 for number in range(0, 90, 3)),
    30.0,
)


def play(handler: Handler, seconds: float, first: Sequence[Course]) -> Service:
    """One invocation: its first attempts take these courses, and all others the slowest that answers.

    Raises:
        AssertionError: It ends late, or answers what it did not do.
    """
    service = Service(seconds, itertools.chain(first, itertools.repeat(COURSES[1])))
    handler(service)
    assert service.left >= min(seconds, ANSWER_SECONDS), f"it ended with {service.left:.2f} s left"
    return service


def search(handlers: Mapping[str, Handler] = HANDLERS, attempts: int = 2) -> int:
    """Play every course of the first attempts, in every handler, from every time; tells how many invocations."""
    played = 0
    for name, handler in handlers.items():
        for seconds in STARTS:
            for first in itertools.product(COURSES, repeat=attempts):
                try:
                    service = play(handler, seconds, first)
                except AssertionError as broken:
                    raise AssertionError(f"{name} from {seconds:g} s, courses {first}: {broken}") from broken
                played += 1
                if not service.starts:  # the other courses would not be met either
                    break
    return played
