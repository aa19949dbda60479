"""Three hops of publishing consumers under faults: every event of every hop is applied once."""

import contextlib
import io
import random
from typing import Any

import pytest

from outbox.consume import consume
from outbox.effects import Add, Effect
from outbox.events import Event, EventType, Projection
from outbox.fields import WholeNumber
from outbox.forward import forward
from outbox.items import Key
from outbox.publish import caused_by, publish
from outbox.retry import Backoff
from outbox_local.event_sources.events import queue_record
from tools.simulation.clock import VirtualClock
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.sqs import Queue, Sqs

EVENTS, RECEIVES_MOST = 40, 1_000
STEPS = [EventType(f"Step{number}", {"amount": WholeNumber(1, 1_000_000)}) for number in range(3)]
TOTAL = Key("TOTAL", "ALL")


class LostAnswerError(Exception):
    """The transaction is stored, and its caller never learns of it."""


class Unreliable:
    """DynamoDB that now and then fails before a transaction, or after it."""

    def __init__(self, dynamodb: DynamoDB, chance: random.Random) -> None:
        self._dynamodb, self._chance = dynamodb, chance

    def transact_write_items(self, **request: Any) -> Any:
        fate = self._chance.random()
        if fate < 0.15:
            raise LostAnswerError
        answer = self._dynamodb.transact_write_items(**request)
        if fate > 0.85:
            raise LostAnswerError
        return answer


def effects_of(step: int) -> Any:
    """Adds to the hop's total, and publishes the next hop's event if there is one."""

    def effects(event: Event) -> list[Effect]:
        found: list[Effect] = [Add(TOTAL, {"amount": event.fields["amount"], "count": 1})]
        if step + 1 < len(STEPS):
            identity = event.event_id.partition(":")[2]
            following = STEPS[step + 1].event(f"step-{step + 1}:{identity}", event.fields, caused_by(event))
            found.append(publish(following))
        return found

    return effects


class Chain:
    """Queues and projections of three consumers, and whatever may repeat, reorder or fail between them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311 - faults, no secrets
        self.clock = VirtualClock(1_800_000_000.0)
        self.queues = [Queue(f"queue-{hop}", self.clock, retention_seconds=10**9) for hop in range(3)]
        self.tables = [Table(f"projection-{hop}") for hop in range(3)]
        self.dynamodb = DynamoDB(self.tables)
        self.sqs: Any = Sqs(self.queues)
        self.headers: list[dict[str, str]] = []

    def relay(self, rows: list[dict[str, Any]], hop: int) -> None:
        """The stream's records to a hop's queue, some of them twice, in any order."""
        repeated = [*rows, *self.chance.sample(rows, len(rows) // 3)]
        self.chance.shuffle(repeated)
        records = [
            {"eventName": "INSERT", "dynamodb": {"SequenceNumber": str(number), "NewImage": row}}
            for number, row in enumerate(repeated)
        ]
        with contextlib.redirect_stdout(io.StringIO()):
            forward(
                self.sqs,
                queue_urls=[f"queue-{hop}"],
                records=records,
                backoff=self._backoff(),
                function_name="relay",
            )

    def consume(self, hop: int) -> None:
        """Deliveries until the queue is empty; what is not reported is deleted, or comes once more all the same."""
        queue, parse = self.queues[hop], Projection({STEPS[hop]: effects_of(hop)}).parse
        for _ in range(RECEIVES_MOST):
            messages = queue.receive(self.chance.randrange(1, 11), 0)
            if not messages:
                return
            with contextlib.redirect_stdout(io.StringIO()):
                answer = consume(
                    Unreliable(self.dynamodb, self.chance),  # type: ignore[arg-type]  # the one call that is used
                    table=f"projection-{hop}",
                    records=[_record(message) for message in messages],
                    parse=parse,
                    backoff=self._backoff(),
                )
            failed = {each["itemIdentifier"] for each in answer["batchItemFailures"]}
            for message in messages:
                if message.id not in failed and self.chance.random() < 0.8:
                    queue.delete(message.receipt_handle)
        pytest.fail(f"The queue of hop {hop} did not become empty")

    def rows(self, hop: int) -> list[dict[str, Any]]:
        """The outbox rows that a hop's consumer published."""
        return [item for key, item in self.tables[hop].items.items() if key[0].startswith("OUTBOX#")]

    def _backoff(self) -> Backoff:
        return Backoff(lambda: 10.0, lambda _: None, lambda: 0.0)


def _record(message: Any) -> dict[str, Any]:
    answered = {
        "MessageId": message.id,
        "ReceiptHandle": message.receipt_handle,
        "Body": message.body,
        "MD5OfBody": "",
        "MessageAttributes": message.attributes or {},
    }
    return queue_record(answered, source_arn="queue", region="nowhere")


@pytest.mark.parametrize("seed", range(20))
def test_every_event_of_three_hops_counts_once_and_tells_where_it_came_from(seed: int) -> None:
    chain = Chain(seed)
    first = [STEPS[0].event(f"step-0:{number}", {"amount": number + 1}) for number in range(EVENTS)]
    rows = [{name: {"S": value} for name, value in event.row().items()} for event in first]

    for hop in range(3):
        chain.relay(rows, hop)
        chain.consume(hop)
        rows = chain.rows(hop)

    total = {"amount": {"N": str(EVENTS * (EVENTS + 1) // 2)}, "count": {"N": str(EVENTS)}}
    for table in chain.tables:
        assert {name: table.items[TOTAL][name] for name in total} == total
    assert [len(chain.rows(hop)) for hop in range(3)] == [EVENTS, EVENTS, 0]
    for row in chain.rows(1):
        number = row["event_id"]["S"].partition(":")[2]
        assert row["headers"]["M"] == {
            "correlation_id": {"S": f"step-0:{number}"},
            "causation_id": {"S": f"step-1:{number}"},
        }
