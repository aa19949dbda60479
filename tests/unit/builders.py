"""Components built from the few values that matter to a test."""

from collections.abc import Callable
from functools import partial
from typing import Any

import components
from components.alarms import ALARMS
from components.arguments import settings_of
from components.settings import COMPONENTS
from components.validation import Row
from tests.unit.recording import Recording, run

STREAM_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026-09-05T12:00:00.000"
QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:q"
NAMES = {
    "OutboxSource": "orders",
    "Relay": "orders",
    "IdempotentConsumer": "sales",
    "Reconciler": "sales",
    "Monitoring": "all",
}
COMPLETE: dict[str, Any] = {
    "OutboxSource": {},
    "Relay": {"stream_arn": STREAM_ARN, "queues": [{"url": "https://q.test/q", "arn": QUEUE_ARN}]},
    "IdempotentConsumer": {},
    "Reconciler": {
        "source_table_name": "t",
        "index_name": "by-stored-minute",
        "index_arn": "arn:aws:dynamodb:us-east-1:123456789012:table/t/index/by-stored-minute",
        "projection_table_name": "p",
        "projection_table_arn": "arn:aws:dynamodb:us-east-1:123456789012:table/p",
        "queue_url": "https://q.test/q",
        "queue_arn": QUEUE_ARN,
    },
    "Monitoring": {alarm.watches: f"the-{alarm.watches}" for alarm in ALARMS},
}
"""The arguments without which a component is refused; of Monitoring, all that there are."""

SETTINGS: list[tuple[str, Row]] = [
    (args_type.__name__.removesuffix("Args"), row)
    for args_type, _ in COMPONENTS.values()
    for row in settings_of(args_type).values()
]
"""Each component with each of its settings."""


def build(component: str, **changes: Any) -> Callable[[], object]:
    """A program of one component, with arguments changed."""
    return lambda: getattr(components, component)(NAMES[component], COMPLETE[component] | changes)


def run_component(component: str, **changes: Any) -> Recording:
    return run(build(component, **changes))


run_source = partial(run_component, "OutboxSource")
run_relay = partial(run_component, "Relay")
run_consumer = partial(run_component, "IdempotentConsumer")
run_reconciler = partial(run_component, "Reconciler")
run_monitoring = partial(run_component, "Monitoring")
