"""The reconciler's run on tables and a queue in memory."""

from typing import Any

import orders
from outbox.heal import HealResult, Places, Schedule, heal
from outbox.items import inbox_marker, outbox_row
from outbox.rows import RowOptions, start_of
from outbox.wire import to_wire
from tests.handlers.support import Clock
from tools.simulation.clock import VirtualClock
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.sqs import Queue, Sqs

MINUTE_SECONDS = 60
NOW = start_of("2026-09-05T12:00")
SCHEDULE = Schedule(interval_minutes=5, margin_seconds=15 * MINUTE_SECONDS, horizon_seconds=14 * 86_400)


class Stored:
    """Both tables and the queue in memory, and the reconciler's run on them."""

    def __init__(self) -> None:
        self.queue = Queue("queue", VirtualClock(NOW), retention_seconds=86_400)
        self.dynamodb: Any = DynamoDB([Table("source"), Table("projection")])
        self.sqs: Any = Sqs([self.queue])

    def row(self, event_id: str, age_minutes: float, body: str | None = None, **attributes: Any) -> str:
        """A stored event of an age; tells its body."""
        event = orders.event_of(orders.Order(event_id.partition(":")[2], 700))
        stored = RowOptions(is_indexed=True).on(event, NOW - age_minutes * MINUTE_SECONDS)
        body = stored.body if body is None else body
        item = {**outbox_row(event_id, body), **stored.extras, **attributes}
        self.dynamodb.put_item(TableName="source", Item=to_wire(item))
        return body

    def marker(self, event_id: str, digest: str) -> None:
        self.dynamodb.put_item(TableName="projection", Item=to_wire(inbox_marker(event_id, digest)))

    def bodies(self) -> list[str]:
        return sorted(each.body for each in self.queue.messages.values())

    def heal(
        self,
        *,
        sqs: Any = None,
        clock: Clock | None = None,
        schedule: Schedule = SCHEDULE,
        event_types: frozenset[str] = frozenset(),
    ) -> HealResult:
        return heal(
            self.dynamodb,
            sqs or self.sqs,
            places=Places("source", "by-stored-minute", "projection", "queue", event_types),
            schedule=schedule,
            at=NOW,
            backoff=(clock or Clock(60.0)).backoff(),
            function_name="the-reconciler",
        )
