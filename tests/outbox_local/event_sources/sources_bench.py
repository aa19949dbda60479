"""What tests of running event sources share: descriptions of mappings, and patience."""

import threading
import time
from collections.abc import Callable
from typing import Any

from tests.outbox_local.event_sources.fakes import (
    FUNCTION_ARN,
    STREAM_ARN,
    FakeClock,
    FakeLambda,
    FakeQueue,
    numbers,
)

PATIENCE_SECONDS = 10.0


class PatientQueue(FakeQueue):
    """Long polls in real time, for a moment, so that pollers do not spin."""

    def __init__(self, *bodies: str) -> None:
        super().__init__(FakeClock(), *bodies)

    def receive_message(self, **call: Any) -> dict[str, Any]:
        time.sleep(0.002)
        return super().receive_message(**call)


def description(
    uuid: str = "u1", *, arn: str = STREAM_ARN, state: str = "Enabled", **more: Any
) -> dict[str, Any]:
    return {
        "UUID": uuid,
        "EventSourceArn": arn,
        "FunctionArn": FUNCTION_ARN,
        "State": state,
        "BatchSize": 1,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        **more,
    }


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.002)


def delivered(function: FakeLambda) -> list[list[int]]:
    return [numbers(event) for event in function.events]


def poller_threads() -> int:
    return sum(thread.name.startswith("event source mapping") for thread in threading.enumerate())
