"""The whole outbox on the simulated AWS: the handlers' own library and domain behind real mapping rules."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Protocol

from outbox import commit, consume, forward
from outbox.invocation import BatchResponse, records_of
from outbox.retry import Backoff
from outbox_cli.stack.deployed import Stack
from outbox_local.event_sources import MakeClient, Mapping, Observer
from outbox_local.event_sources.queue import QueuePoller
from outbox_local.event_sources.shard import Positions
from outbox_local.event_sources.stream import StreamPoller
from tools.simulation.clock import VirtualClock
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.sqs import Queue, Sqs
from tools.simulation.streams import DynamoDBStreams, Stream
from tools.walkthrough import orders

START_EPOCH_SECONDS = 1_800_000_000.0
FUNCTION_TIMEOUT_SECONDS = 10.0
QUEUE_RETENTION_SECONDS = 86_400
DEAD_LETTER_RETENTION_SECONDS = 345_600
VISIBILITY_SECONDS = 60

SOURCE_TABLE = "source"
PROJECTION_TABLE = "projection"
DELIVERY_QUEUE = "delivery"
DEAD_LETTER_QUEUE = "dead-letters"
RELAY = "relay"
CONSUMER = "consumer"
ONLY_NEW_OUTBOX_ROWS = '{"eventName":["INSERT"],"dynamodb":{"NewImage":{"kind":{"S":["OUTBOX"]}}}}'


class Surroundings(Protocol):
    """Replacements of Lambda's clients, clock and random source."""

    def client(self, service: str) -> Any:
        """A client of a service."""

    def remaining_seconds(self) -> float:
        """Time until the function's timeout."""

    def sleep(self, seconds: float) -> None:
        """Wait."""

    def random(self) -> float:
        """A number from 0 to 1."""


@dataclass(frozen=True)
class SystemSettings:
    """Settings of the mappings and the queue; the defaults are the walkthrough's."""

    shards: int = 1
    stream_batch: int = 1
    stream_window_seconds: int = 0
    parallelization: int = 1
    retries: int = 100
    bisects: bool = False
    record_age_seconds: int = 3600
    queue_batch: int = 1
    queue_window_seconds: int = 0
    receives_most: int = 5
    aggregate_shards: int = 1
    function_timeout_seconds: float = FUNCTION_TIMEOUT_SECONDS


class System:
    """Tables, stream, queues and functions; pollers are made on demand, as many as are wanted."""

    def __init__(self, settings: SystemSettings) -> None:
        self.settings = settings
        self.clock = VirtualClock(START_EPOCH_SECONDS)
        self.stream = Stream(
            _arn(f"dynamodb:table/{SOURCE_TABLE}/stream/1"), self.clock, shards=settings.shards
        )
        self.source = Table(SOURCE_TABLE, self.stream)
        self.projection = Table(PROJECTION_TABLE)
        self.dead_letters = Queue(
            DEAD_LETTER_QUEUE, self.clock, retention_seconds=DEAD_LETTER_RETENTION_SECONDS
        )
        self.queue = Queue(
            DELIVERY_QUEUE,
            self.clock,
            retention_seconds=QUEUE_RETENTION_SECONDS,
            visibility_seconds=VISIBILITY_SECONDS,
            dead_letters=self.dead_letters,
            receives_most=settings.receives_most,
        )
        self.fault_order_id = ""
        self._services = {
            "dynamodb": DynamoDB([self.source, self.projection]),
            "dynamodbstreams": DynamoDBStreams(self.stream),
            "sqs": Sqs([self.queue, self.dead_letters]),
        }

    def client(self, service: str, _role: str | None = None) -> Any:
        """The client of a service; nothing is judged by roles here."""
        return self._services[service]

    def stack(self) -> Stack:
        """The system as the operator's verbs see it."""
        outputs = {
            "source_table_name": SOURCE_TABLE,
            "projection_table_name": PROJECTION_TABLE,
            "queue_url": DELIVERY_QUEUE,
            "queue_arn": DELIVERY_QUEUE,
            "dead_letter_queue_url": DEAD_LETTER_QUEUE,
            "dead_letter_queue_arn": DEAD_LETTER_QUEUE,
        }
        return Stack("simulated", outputs, self.client)

    def command(self, event: Any, surroundings: Surroundings) -> commit.CommandResult:
        """The command, as handlers/command.py has it."""
        order = orders.parse_command(event)
        return commit.commit(
            surroundings.client("dynamodb"),
            table=SOURCE_TABLE,
            state=orders.state_of(order),
            event=orders.event_of(order),
            request_fields=orders.REQUEST_FIELDS,
            backoff=_backoff(surroundings),
        )

    def relay(self, event: Any, surroundings: Surroundings) -> BatchResponse:
        """The relay, as handlers/relay.py has it."""
        return forward.forward(
            surroundings.client("sqs"),
            queue_urls=[DELIVERY_QUEUE],
            records=records_of(event),
            backoff=_backoff(surroundings),
            function_name=RELAY,
        )

    def consumer(self, event: Any, surroundings: Surroundings) -> BatchResponse:
        """The consumer, as handlers/consumer.py has it."""
        return consume.consume(
            surroundings.client("dynamodb"),
            table=PROJECTION_TABLE,
            records=records_of(event),
            parse=orders.sales(self._shard(surroundings)).parse,
            backoff=_backoff(surroundings),
            fault_event_id=orders.event_id_of(self.fault_order_id),
        )

    def stream_poller(
        self, make_client: MakeClient, *, positions: Positions, executor: Executor, observer: Observer
    ) -> StreamPoller:
        """A poller of the relay's mapping that goes on at the stored positions."""
        settings = self.settings
        return StreamPoller(
            self._mapping(RELAY, self.stream.arn, settings.stream_batch, settings.stream_window_seconds),
            make_client,
            positions=positions,
            executor=executor,
            clock=self.clock,
            observer=observer,
        )

    def _shard(self, surroundings: Surroundings) -> int:
        """Every invocation chooses anew, as if it were a function started for it alone."""
        shards = self.settings.aggregate_shards
        return int(surroundings.random() * shards) if shards > 1 else 0

    def queue_poller(self, make_client: MakeClient) -> QueuePoller:
        """One of the pollers of the consumer's mapping."""
        settings = self.settings
        return QueuePoller(
            self._mapping(
                CONSUMER, _arn(f"sqs:{DELIVERY_QUEUE}"), settings.queue_batch, settings.queue_window_seconds
            ),
            make_client,
            clock=self.clock,
        )

    def _mapping(self, function: str, source_arn: str, batch_size: int, window_seconds: int) -> Mapping:
        return Mapping(
            uuid=function,
            source_arn=source_arn,
            function_arn=function,
            enabled=True,
            batch_size=batch_size,
            window_seconds=window_seconds,
            filters=(ONLY_NEW_OUTBOX_ROWS,) if function == RELAY else (),
            reports_failures=True,
            parallelization=self.settings.parallelization,
            retries=self.settings.retries,
            record_age_seconds=self.settings.record_age_seconds,
            bisects=self.settings.bisects,
        )


def _arn(resource: str) -> str:
    service, _, name = resource.partition(":")
    return f"arn:simulated:{service}:nowhere:000000000000:{name}"


def _backoff(surroundings: Surroundings) -> Backoff:
    return Backoff(surroundings.remaining_seconds, surroundings.sleep, surroundings.random)
