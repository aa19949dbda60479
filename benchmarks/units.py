"""What an event costs: write units, SQS requests and the consumer's calls, counted from command to total.

Exact, so asserted in tests/benchmarks/. The handlers run in this process against the emulator; SQS receives and
deletes are those of our event source, which batches as Lambda does.
"""

import json
import uuid
from dataclasses import dataclass
from typing import Any

import boto3

from benchmarks.counting import Meter
from benchmarks.functions import OURS, POWERTOOLS, WALKTHROUGH, Variant, quietly
from local.clients import Clients
from local.event_sources.events import queue_record
from local.event_sources.mapping import Mapping
from local.event_sources.queue import QueuePoller

EVENTS = 100  # a whole number of batches of every size


@dataclass(frozen=True)
class Units:
    """Figures per event."""

    wru: float
    rru: float
    sqs_requests: float
    consumer_calls: float


CASES: dict[str, tuple[Variant, int]] = {
    "walkthrough": (WALKTHROUGH, 1),
    "ours_1": (OURS, 1),
    "ours_10": (OURS, 10),
    "ours_100": (OURS, 100),
    "powertools_10": (POWERTOOLS, 10),
}
