"""The reconciler's pace: what a plan computes is what its run takes on a clock that goes by the same assumptions."""

import hashlib
from fractions import Fraction
from threading import Lock
from typing import Any

import pytest

from components import limits
from components.settings import parse_settings
from outbox.errors import UnfinishedError
from outbox.heal import HealResult, Places, Schedule, heal
from outbox.retry import RESERVE_SECONDS, Backoff
from outbox.rows import INDEX_SHARDS, start_of
from outbox_cli.cost import reconciler_pace as pace
from outbox_cli.cost.run_times import REQUEST_MILLISECONDS
from outbox_local.program import read_stack_config
from tools.repository import PROGRAM_DIRECTORY

NOW = start_of("2026-09-05T12:00")
BODY = "x" * 168
DIGEST = hashlib.sha256(BODY.encode()).hexdigest()
ROWS_A_SECOND = 8  # one to each shard


class World:
    """Tables and a queue whose every call takes its time; the youngest events have no marker, the others do."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._lock = Lock()

    def _take(self, processor_microseconds: float) -> None:
        with self._lock:
            self.seconds += REQUEST_MILLISECONDS / 1000 / len(INDEX_SHARDS) + processor_microseconds / 1e6

    def query(self, **request: Any) -> dict[str, Any]:
        self._take(0)
        values, done = request["ExpressionAttributeValues"], request.get("ExclusiveStartKey", 0)
        first, last = values[":first"]["S"], values[":last"]["S"]
        rows = round(start_of(last) - start_of(first) + 60) * ROWS_A_SECOND // len(INDEX_SHARDS)
        page = range(done, min(rows, done + request["Limit"]))
        is_lost = last == "2026-09-05T11:44"
        items = [
            {
                "PK": {"S": f"OUTBOX#{'lost' if is_lost else first}-{values[':shard']['S']}-{each}"},
                "SK": {"S": "EVENT"},
                "body": {"S": BODY},
            }
            for each in page
        ]
        return {"Items": items} | ({"LastEvaluatedKey": page.stop} if page.stop < rows else {})

    def batch_get_item(self, **request: Any) -> dict[str, Any]:
        asked = request["RequestItems"]["p"]
        per_kilobyte = pace.READING_MICROSECONDS_A_KILOBYTE * len(BODY) / 1024
        # A second look belongs to what sending costs.
        reading = 0 if asked["ConsistentRead"] else pace.READING_MICROSECONDS + per_kilobyte
        self._take(reading * len(asked["Keys"]))
        return {
            "Responses": {
                "p": [
                    {"PK": key["PK"], "digest": {"S": DIGEST}}
                    for key in asked["Keys"]
                    if "#lost" not in key["PK"]["S"]
                ]
            }
        }

    def send_message_batch(self, **request: Any) -> dict[str, Any]:
        per_kilobyte = pace.SENDING_MICROSECONDS_A_KILOBYTE * len(BODY) / 1024
        self._take((pace.SENDING_MICROSECONDS + per_kilobyte) * len(request["Entries"]))
        return {"Successful": [{"Id": entry["Id"]} for entry in request["Entries"]]}


def run(world: Any, seconds: float) -> HealResult:
    return heal(
        world,
        world,
        places=Places("s", "i", "p", "q"),
        schedule=Schedule(pace.INTERVAL_MINUTES, pace.MARGIN_SECONDS, pace.HORIZON_SECONDS),
        at=NOW,
        backoff=Backoff(lambda: seconds - world.seconds),
        function_name="the-reconciler",
    )


def test_run_while_the_relay_is_off_takes_as_long_as_computed_and_no_less_is_enough() -> None:
    computed = float(pace.run_seconds(Fraction(ROWS_A_SECOND), len(BODY), relay_is_off=True))

    enough, too_short = World(), World()
    found = run(enough, computed * 1.05 + RESERVE_SECONDS)

    assert found["healed"] == pace.WINDOW_SECONDS * ROWS_A_SECOND
    assert found["rows"] == pace.LOOKS * found["healed"]
    assert enough.seconds == pytest.approx(computed, rel=0.05)
    with pytest.raises(UnfinishedError):
        run(too_short, computed * 0.9 + RESERVE_SECONDS)


@pytest.mark.parametrize("payload_bytes", [1, 168, 30_000, 300_000])
def test_most_events_a_second_are_those_whose_run_still_ends_in_time(payload_bytes: int) -> None:
    most = pace.most_events_per_second(payload_bytes)

    def takes(rate: int) -> float:
        return float(pace.run_seconds(Fraction(rate), payload_bytes, relay_is_off=True))

    assert takes(most) <= pace.TIMEOUT_SECONDS - RESERVE_SECONDS < takes(most + 1)


def test_pace_is_that_of_the_stack_prod() -> None:
    config = read_stack_config(PROGRAM_DIRECTORY, "prod", {"aws:region": "eu-central-1"})
    own = {
        key.partition(":")[2]: value
        for key, value in config.values.items()
        if key.startswith(f"{config.project}:")
    }

    prod = parse_settings(config.project, own).reconciler

    assert prod is not None
    assert limits.RECONCILER_INTERVAL_MINUTES.read(prod) == pace.INTERVAL_MINUTES
    assert limits.RECONCILER_MARGIN_SECONDS.read(prod) == pace.MARGIN_SECONDS
    assert limits.RECONCILER_HORIZON_SECONDS.read(prod) == pace.HORIZON_SECONDS
    assert limits.FUNCTION_TIMEOUT_SECONDS.read(prod) == pace.TIMEOUT_SECONDS
    assert limits.FUNCTION_MEMORY_MEGABYTES.read(prod) == pace.MEMORY_MEGABYTES
