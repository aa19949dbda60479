"""One implementation from command to total: its functions in this process, its tables and queue in the emulator.

Between the functions stand our event sources, which batch as Lambda does. The calls of all are counted.
"""

import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from components.relay import OUTBOX_INSERTS
from outbox_cli.cost.bills import BATCHED_STREAM_BATCH
from outbox_local.clients import Clients
from outbox_local.event_sources.clock import StoppableClock
from outbox_local.event_sources.mapping import Mapping
from outbox_local.event_sources.queue import QueuePoller
from outbox_local.event_sources.stream import StreamPoller
from tools.benchmarks.counting import Meter
from tools.benchmarks.functions import OURS, POWERTOOLS, WALKTHROUGH, Variant, lambda_environment, quietly
from tools.benchmarks.inputs import order
from tools.simulation.functions import Function, Lambda

WINDOW_SECONDS = 10  # never waited for: every batch is full
KEYS = ("PK", "SK")

# What is billed for delivering a message; the look-ups with which a poller of ours begins are not Lambda's.
DELIVERY_REQUESTS = (
    "SendMessage",
    "SendMessageBatch",
    "ReceiveMessage",
    "DeleteMessage",
    "DeleteMessageBatch",
)


@dataclass(frozen=True)
class Case:
    """Case to compare: who accepts and forwards, who consumes, and how many messages the consumer gets at once."""

    producer: Variant
    consumer: Variant
    batch_size: int

    @property
    def stream_batch_size(self) -> int:
        """How many stored events the relay gets at once: one, or as many as in the bills of `outbox cost`."""
        return 1 if self.batch_size == 1 else BATCHED_STREAM_BATCH


CASES = {
    "walkthrough": Case(WALKTHROUGH, WALKTHROUGH, 1),
    "ours_1": Case(OURS, OURS, 1),
    "ours_10": Case(OURS, OURS, 10),
    "ours_100": Case(OURS, OURS, 100),
    "powertools_10": Case(OURS, POWERTOOLS, 10),  # it has a consumer alone
}

# The baseline, and those of ours that bounds are set for.
BASELINE, SINGLE, BATCHED = "walkthrough", "ours_1", "ours_100"


class Pipeline:
    """Tables, queue and functions of one case; each method runs one stage for so many events.

    Attributes:
        producers: counts the calls of command and relay.
        delivery: counts the calls of the event source behind the queue.
        consumer: counts the calls of the consumer.
        invocations: counts the runs of each function.
    """

    def __init__(self, case: Case, local_aws: Clients) -> None:
        self._case = case
        # Clients of its own, because they are watched for this case alone.
        self._clients = Clients(local_aws.endpoint)
        name = f"bench-{uuid.uuid4().hex[:12]}"
        self._projection_table = f"{name}-projection"
        self._stream_arn = make_table(self._clients, f"{name}-source", with_stream=True)
        make_table(self._clients, self._projection_table, with_stream=False)
        queue_url, self._queue_arn = _make_queue(self._clients, name)
        environment = lambda_environment(local_aws.endpoint) | {
            "SOURCE_TABLE": f"{name}-source",
            "QUEUE_URL": queue_url,
            "PROJECTION_TABLE": self._projection_table,
        }
        self.producers, self.delivery, self.consumer = Meter(), Meter(), Meter()
        command = case.producer.load("command", environment)
        relay = case.producer.load("relay", environment)
        consumer = case.consumer.load("consumer", environment)
        self.producers.watch(command.DYNAMODB)
        self.producers.watch(relay.SQS)
        self.delivery.watch(self._clients("sqs"))
        self.consumer.watch(consumer.DYNAMODB)
        self.invocations: Counter[str] = Counter()
        self._records: Counter[str] = Counter()
        self._functions = {
            function: self._counted(function, module.lambda_handler)
            for function, module in (("command", command), ("relay", relay), ("consumer", consumer))
        }

    @property
    def sqs_requests(self) -> int:
        """All billed requests so far that deliver messages."""
        calls = self.producers.calls + self.delivery.calls
        return sum(calls[operation] for operation in DELIVERY_REQUESTS)

    def reset(self) -> None:
        """Counts anew from nothing; what is stored stays."""
        for meter in (self.producers, self.delivery, self.consumer):
            meter.reset()
        self.invocations.clear()

    def place(self, count: int) -> None:
        """Accepts orders one by one, as commands come."""
        for number in range(count):
            self._functions["command"](order(number))

    def relay(self, count: int) -> None:
        """Forwards so many events from the beginning of the stream: done twice, it sends all events twice."""
        with ThreadPoolExecutor(1) as executor:
            poller = StreamPoller(
                self._mapping("relay", self._stream_arn, self._case.stream_batch_size, OUTBOX_INSERTS),
                self._client,
                positions={},
                executor=executor,
                clock=StoppableClock(),
            )
            self._step("relay", poller.step, count)

    def consume(self, count: int) -> None:
        """Delivers so many messages of the queue."""
        mapping = self._mapping("consumer", self._queue_arn, self._case.batch_size)
        poller = QueuePoller(mapping, self._client, clock=StoppableClock())
        self._step("consumer", poller.step, count)

    def total(self) -> tuple[int, int]:
        """Orders and cents in the sales total."""
        return total_of(self._clients, self._projection_table)

    def _counted(self, function: str, handler: Callable[[Any, Any], Any]) -> Function:
        def run(event: Any) -> Any:
            answer = quietly(handler, event)
            self.invocations[function] += 1
            self._records[function] += len(event.get("Records", ())) - len(
                answer.get("batchItemFailures", ())
            )
            return answer

        return run

    def _step(self, function: str, step: Callable[[], bool], count: int) -> None:
        target = self._records[function] + count
        while self._records[function] < target:
            if not step():
                raise RuntimeError(
                    f"{function}: {target - self._records[function]} of {count} records never came."
                )

    def _client(self, service: str, role_arn: str | None) -> Any:  # noqa: ARG002 - a MakeClient
        return Lambda(self._functions) if service == "lambda" else self._clients(service)

    def _mapping(self, function: str, source_arn: str, batch_size: int, *filters: str) -> Mapping:
        return Mapping(
            uuid=function,
            source_arn=source_arn,
            function_arn=function,
            enabled=True,
            batch_size=batch_size,
            window_seconds=WINDOW_SECONDS if batch_size > 1 else 0,
            filters=filters,
            reports_failures=True,
        )


def total_of(clients: Clients, table: str) -> tuple[int, int]:
    """Orders and cents in a table's sales total, which is one item in all cases."""
    key = {"PK": {"S": "SALES"}, "SK": {"S": "TOTAL"}}
    item = clients("dynamodb").get_item(TableName=table, Key=key).get("Item")
    return (int(item["order_count"]["N"]), int(item["revenue_cents"]["N"])) if item else (0, 0)


def make_table(clients: Clients, name: str, *, with_stream: bool) -> str:
    """Makes a table with the walkthrough's keys and returns its stream's ARN, empty without one."""
    stream = (
        {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"} if with_stream else {"StreamEnabled": False}
    )
    table = clients("dynamodb").create_table(
        TableName=name,
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in KEYS],
        KeySchema=[
            {"AttributeName": key, "KeyType": kind} for key, kind in zip(KEYS, ("HASH", "RANGE"), strict=True)
        ],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification=stream,
    )["TableDescription"]
    return str(table.get("LatestStreamArn", ""))


def _make_queue(clients: Clients, name: str) -> tuple[str, str]:
    """Makes a queue and returns its URL and its ARN."""
    sqs = clients("sqs")
    url = sqs.create_queue(QueueName=name, Attributes={"VisibilityTimeout": "60"})["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
    return url, attributes["QueueArn"]
