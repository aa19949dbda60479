"""How many outbox rows a second one core reconciles against a store in memory, and the read units of an event.

Processor time, of the verb and of the store together: DynamoDB's own part is not on this core on AWS.
"""

import time
from statistics import median
from typing import Any

from outbox.wire import to_wire
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.reconcile.search import reconcile
from outbox_cli.stack.deployed import Stack
from tools.benchmarks.paired import Document
from tools.simulation.dynamodb import DynamoDB, Table
from tools.simulation.sqs import Sqs
from tools.walkthrough import orders

EVENTS = 20_000
LOST_EACH = 100  # one event of so many has no marker

Taken = list[tuple[float, Reconciliation]]
"""Of each round, its processor seconds and what it found."""


def stack_of(events: int) -> Stack:
    """Orders and rows of so many events, with the markers of nearly all."""
    source, projection = Table("source"), Table("projection")
    for number in range(events):
        order = orders.Order(f"order-{number}", 1 + number)
        event = orders.event_of(order)
        source.store(to_wire(orders.state_of(order)))
        source.store(to_wire(event.row()))
        if number % LOST_EACH:
            projection.store(to_wire(orders.sales().parse(event.body).marker.item))
    outputs = {"source_table_name": "source", "projection_table_name": "projection", "queue_url": "queue"}
    services: dict[str, Any] = {"dynamodb": DynamoDB([source, projection]), "sqs": Sqs([])}
    return Stack("in memory", outputs, services.__getitem__)


def measure(rounds: int) -> Taken:
    """So many rounds over the same tables, in one segment each: more would share the one core.

    Raises:
        RuntimeError: A round found other events lost than there are.
    """
    stack, taken = stack_of(EVENTS), []
    for _ in range(rounds):
        begun = time.process_time()
        found = reconcile(stack, segments=1)
        seconds = time.process_time() - begun
        if (found.rows, found.lost.count) != (EVENTS, EVENTS // LOST_EACH):
            raise RuntimeError(f"{found.rows} rows were seen and {found.lost.count} found lost.")
        taken.append((seconds, found))
    return taken


def figures(taken: Taken) -> Document:
    """The median of the rounds; the units are the same in each."""
    return {
        "reconcile_rows_per_second": median(found.rows / seconds for seconds, found in taken),
        "reconcile_read_units_per_event": taken[-1][1].read_units_per_event,
    }
