"""How time and cost grow from a thousand to a million events: all three handlers on a store kept in memory.

One run from an empty store, looked at on the way, so each point holds everything that was stored before it.
"""

import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tools.benchmarks.functions import OURS, quietly
from tools.benchmarks.inputs import message, order, stream_record
from tools.benchmarks.paired import Document
from tools.benchmarks.processor import ENVIRONMENT

BATCH_SIZE = 100
STEPS_A_DECADE = 2
FIRST_EVENTS = 1_000
WRITE_UNITS_PER_TRANSACTIONAL_ITEM = 2


@dataclass(frozen=True)
class Point:
    """Processor time and write units of the first so many events."""

    events: int
    seconds: float
    write_units: int


class Store:
    """Both tables: which items there are, and how many write units they took; a million events fit in memory."""

    def __init__(self) -> None:
        self.write_units = 0
        self._items: set[tuple[str, str]] = set()

    def transact_write_items(self, *, TransactItems: list[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803 - boto3's name
        """Stores new items; nothing comes twice here, so a key that is there already is an error of the benchmark."""
        puts = [action["Put"]["Item"] for action in TransactItems if "Put" in action]
        keys = {(item["PK"]["S"], item["SK"]["S"]) for item in puts}
        if len(keys) != len(puts) or not self._items.isdisjoint(keys):
            raise RuntimeError("An event came a second time, which this benchmark does not send.")
        self._items |= keys
        self.write_units += WRITE_UNITS_PER_TRANSACTIONAL_ITEM * len(TransactItems)
        return {}


class Queue:
    """Accepts everything."""

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, str]]) -> dict[str, Any]:  # noqa: ARG002, N803 - boto3's names
        """Every entry is sent."""
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}


def measure(most_events: int) -> list[Point]:
    """The points up to so many events, evenly spread on a logarithmic scale; told of each."""
    command, relay, consumer = (OURS.load(name, ENVIRONMENT) for name in ("command", "relay", "consumer"))
    store = Store()
    command.DYNAMODB = consumer.DYNAMODB = store  # type: ignore[attr-defined]  # a handler's own client
    relay.SQS = Queue()  # type: ignore[attr-defined]  # a handler's own client
    seconds = 0.0
    done = 0
    points = []
    for target in checkpoints(most_events):
        for first in range(done, target, BATCH_SIZE):
            numbers = range(first, first + BATCH_SIZE)
            commands = [order(number) for number in numbers]
            records = {"Records": [stream_record(number) for number in numbers]}
            messages = {"Records": [message(number) for number in numbers]}
            begun = time.process_time()
            for each in commands:
                quietly(command.lambda_handler, each)
            answers = [quietly(relay.lambda_handler, records), quietly(consumer.lambda_handler, messages)]
            seconds += time.process_time() - begun
            if any(answer["batchItemFailures"] for answer in answers):
                raise RuntimeError(f"Events {numbers} failed: {answers}")
        done = target
        points.append(Point(done, seconds, store.write_units))
    return points


def figures(taken: Sequence[Point]) -> Document:
    """Both exponents, and the points that they were fitted to."""
    sizes = [point.events for point in taken]
    return {
        "growth_exponent": fitted_exponent(sizes, [point.seconds for point in taken]),
        "growth": {
            "points": [asdict(point) for point in taken],
            "cost_exponent": fitted_exponent(sizes, [point.write_units for point in taken]),
        },
    }


def checkpoints(most_events: int) -> list[int]:
    """Counts from FIRST_EVENTS to the given one, in full batches, each about three times the one before."""
    steps = round(math.log10(most_events / FIRST_EVENTS) * STEPS_A_DECADE)
    counts = [FIRST_EVENTS * 10 ** (step / STEPS_A_DECADE) for step in range(steps + 1)]
    return [round(count / BATCH_SIZE) * BATCH_SIZE for count in counts]


def fitted_exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """The k of cost = c * size ** k, by least squares on the logarithms; 1 is linear.

    Raises:
        statistics.StatisticsError: there are fewer than two different sizes.
    """
    return statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, costs)]).slope
