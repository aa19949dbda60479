"""Histories delivered by the pollers of both mappings, over any DynamoDB, stream and SQS: simulated or the emulator's.

The functions run here, so that they can be told to fail; all else that a poller calls is what the history runs on.
"""

import random
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from botocore.exceptions import ClientError

import orders
from outbox.consume import consume
from outbox.forward import forward
from outbox.invocation import failures
from outbox_local.event_sources import Mapping
from outbox_local.event_sources.observation import Observation
from outbox_local.event_sources.queue import QueuePoller
from outbox_local.event_sources.shard import Position
from outbox_local.event_sources.stream import StreamPoller
from tests.simulation.histories import ACTS_BY_NAME, BACKOFF, QUEUE_ARN, Act, Aws, Outcome, stored
from tools.simulation.clock import VirtualClock
from tools.simulation.functions import Lambda
from tools.soak.system import ONLY_NEW_OUTBOX_ROWS

VISIBILITY_SECONDS = 3600  # no message shows again by itself: a slow machine would change the history
WAIT_SECONDS = 2.5  # more than the pauses between both deliveries of a stream's batch
FAILURES = ("relay fails", "relay reports", "consumer fails", "consumer faults")
ACTS = (
    "place",
    "place",
    "send",
    "poison",
    "touch",
    "stream",
    "stream",
    "queue",
    "queue",
    "restart",
    *FAILURES,
)


class Seen(NamedTuple):
    """An observation, without what differs between one AWS and another."""

    function: str
    what: str
    records: int
    failed: int
    reason: str


class _InTurn(Executor):
    """Deliveries one after the other, in this thread."""

    def map(self, function: Any, *arguments: Any, **_: Any) -> Iterator[Any]:  # type: ignore[override]  # simpler
        return map(function, *arguments)


class Polled:
    """Both mappings over one AWS, moved by the acts of a history.

    Args:
        aws: The clients; its queue hides a message for VISIBILITY_SECONDS.
        clock: Of the pollers, whatever time it is for the AWS.
    """

    def __init__(self, aws: Aws, clock: VirtualClock) -> None:
        self._aws = aws
        self._clock = clock
        self._seen: list[Any] = []
        self._received: dict[str, str] = {}
        self._failing: dict[str, str] = {}
        self._positions: dict[str, Position] = {}
        self._lambda = Lambda({"relay": self._relay, "consumer": self._consumer})
        self._restart()

    def outcome_of(self, history: list[Act]) -> Outcome:
        """Every delivery, answer and observation in order, and all that is stored in the end."""
        acts: dict[str, Callable[[], None]] = {
            "stream": self._step_stream,
            "queue": self._step_queue,
            "restart": self._restart,
            "wait": self._wait,
        }
        for verb, first, second in history:
            if verb in FAILURES:
                function, how = verb.split()
                self._failing[function] = how
            elif verb in acts:
                acts[verb]()
            else:
                self._seen.append(ACTS_BY_NAME[verb](self._aws, first, second))
        return {"seen": self._seen, **stored(self._aws)}

    def _step_stream(self) -> None:
        self._stream_poller.step()

    def _step_queue(self) -> None:
        self._queue_poller.step()

    def _wait(self) -> None:
        """Every pause ends, and what was received and not deleted shows again."""
        self._clock.wait(WAIT_SECONDS)
        for handle in self._received.values():
            with suppress(ClientError):  # it was deleted
                self._aws.sqs.change_message_visibility(
                    QueueUrl=self._aws.queue_url, ReceiptHandle=handle, VisibilityTimeout=0
                )
        self._received.clear()

    def _restart(self) -> None:
        """New pollers, which go on at the stored positions."""
        mapping = Mapping("m", QUEUE_ARN, "consumer", enabled=True, batch_size=3, reports_failures=True)
        relay = replace(
            mapping,
            source_arn=self._aws.stream_arn,
            function_arn="relay",
            filters=(ONLY_NEW_OUTBOX_ROWS,),
            parallelization=2,
            retries=1,
            bisects=True,
        )
        self._stream_poller = StreamPoller(
            relay,
            self._client,
            positions=self._positions,
            executor=_InTurn(),
            clock=self._clock,
            observer=self._observe,
        )
        self._queue_poller = QueuePoller(mapping, self._client, clock=self._clock, observer=self._observe)

    def _client(self, service: str, role_arn: str | None) -> Any:
        return {"lambda": self._lambda, "dynamodbstreams": self._aws.streams, "sqs": _Named(self._aws)}[
            service
        ]

    def _observe(self, seen: Observation) -> None:
        self._seen.append(Seen(seen.mapping.function_arn, seen.what, seen.records, seen.failed, seen.reason))

    def _relay(self, event: Any) -> Any:
        records = event["Records"]
        self._seen.append([(each["eventName"], each["dynamodb"]["NewImage"]) for each in records])
        how = self._failing.pop("relay", "")
        if how == "fails":
            raise RuntimeError(how)
        if how == "reports":
            return failures([records[-1]["dynamodb"]["SequenceNumber"]])
        return forward(
            self._aws.sqs,
            queue_urls=[self._aws.queue_url],
            records=records,
            backoff=BACKOFF,
            function_name="relay",
        )

    def _consumer(self, event: Any) -> Any:
        records = event["Records"]
        self._seen.append([(each["body"], each["attributes"]["ApproximateReceiveCount"]) for each in records])
        self._received |= {each["messageId"]: each["receiptHandle"] for each in records}
        how = self._failing.pop("consumer", "")
        if how == "fails":
            raise RuntimeError(how)
        return consume(
            self._aws.dynamodb,
            table=self._aws.projection,
            records=records,
            parse=orders.sales().parse,
            backoff=BACKOFF,
            fault_event_id=orders.event_id_of("a") if how == "faults" else None,
        )


class _Named:
    """SQS, with the queue's URL for whatever name a poller reads out of an ARN."""

    def __init__(self, aws: Aws) -> None:
        self._aws = aws

    def get_queue_url(self, **_: Any) -> dict[str, str]:
        return {"QueueUrl": self._aws.queue_url}

    def __getattr__(self, operation: str) -> Any:
        return getattr(self._aws.sqs, operation)


def random_polled_history(seed: int) -> list[Act]:
    """Acts by chance, with waits after which what failed is delivered again."""
    rng = random.Random(seed)  # noqa: S311 - a history, no secret
    acts = [(rng.choice(ACTS), rng.randrange(3), rng.randrange(2)) for _ in range(40)]
    again: list[Act] = [("wait", 0, 0), ("stream", 0, 0), ("queue", 0, 0)]
    return [*acts[:20], *again, *acts[20:], *again, *again]
