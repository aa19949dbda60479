"""The reconciler's run: which events it looks at and when, what it sends, and what it says of the rest."""

import itertools
import json
from typing import Any

import pytest

import orders
from local.simulation.clock import VirtualClock
from local.simulation.dynamodb import DynamoDB, Table
from local.simulation.sqs import Queue, Sqs
from outbox.errors import UnfinishedError
from outbox.heal import HealResult, Places, Schedule, heal
from outbox.items import inbox_marker, outbox_row, to_wire
from outbox.rows import RowOptions, minute_of, start_of
from outbox.windows import windows
from tests.handlers.support import Clock, Recorder, error

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

    def heal(self, *, sqs: Any = None, seconds: float = 60.0) -> HealResult:
        return heal(
            self.dynamodb,
            sqs or self.sqs,
            places=Places("source", "by-stored-minute", "projection", "queue"),
            schedule=SCHEDULE,
            at=NOW,
            backoff=Clock(seconds).backoff(),
            function_name="the-reconciler",
        )


@pytest.fixture
def stored() -> Stored:
    return Stored()


def metrics_of(output: str) -> dict[str, int]:
    """The counts of the one line of metrics."""
    [line] = [json.loads(each) for each in output.splitlines() if '"_aws"' in each]
    [directive] = line["_aws"]["CloudWatchMetrics"]
    assert (directive["Namespace"], directive["Dimensions"]) == ("Outbox", [["FunctionName"]])
    assert line["FunctionName"] == "the-reconciler"
    return {each["Name"]: line[each["Name"]] for each in directive["Metrics"]}


def test_heal_sends_what_is_lost_says_so_and_counts_it(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    body = stored.row("order-created:lost", age_minutes=17)

    result = stored.heal()

    output = capsys.readouterr().out
    assert result == {"rows": 1, "healed": 1, "parked": 0, "conflicting": 0}
    assert stored.bodies() == [body]
    assert "HEALED order-created:lost\n" in output
    assert metrics_of(output) == {"ReconcilerHealed": 1, "ReconcilerParked": 0, "ReconcilerConflicting": 0}


def test_heal_counts_nothing_when_there_is_nothing(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    result = stored.heal()

    assert set(result.values()) == {0}
    assert set(metrics_of(capsys.readouterr().out).values()) == {0}


def test_heal_names_parked_and_conflicting_events_and_sends_neither(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    stored.row("order-created:bell", age_minutes=17, body="bell \u0007")
    stored.row("order-created:forged", age_minutes=17)
    stored.marker("order-created:forged", "0" * 64)

    result = stored.heal()

    output = capsys.readouterr().out
    assert result == {"rows": 2, "healed": 0, "parked": 1, "conflicting": 1}
    assert stored.bodies() == []
    assert "RECONCILER_PARKED order-created:bell the body has the character U+0007" in output
    assert "RECONCILER_CONFLICTING order-created:forged\n" in output
    assert metrics_of(output)["ReconcilerParked"] == metrics_of(output)["ReconcilerConflicting"] == 1


def test_heal_gives_up_a_row_whose_lifetime_has_ended(stored: Stored) -> None:
    stored.row("order-created:old", age_minutes=17, expires_at=int(NOW))

    result = stored.heal()

    assert (result["rows"], result["healed"], stored.bodies()) == (1, 0, [])


@pytest.mark.parametrize(
    ("age_minutes", "is_seen"),
    [(0, False), (15, False), (16, True), (21, True), (23, False), (31, True), (50, False), (61, True)],
)
def test_heal_looks_at_an_event_at_each_doubling_of_its_age_only(
    stored: Stored, age_minutes: int, is_seen: bool
) -> None:
    stored.row("order-created:lost", age_minutes=age_minutes)

    result = stored.heal()

    assert result["healed"] == int(is_seen)


def test_heal_that_cannot_send_counts_and_fails_so_that_lambda_runs_it_again(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    stored.row("order-created:lost", age_minutes=17)
    closed = Recorder(stored.sqs, default=error("AccessDenied"))

    with pytest.raises(
        UnfinishedError, match=r"order-created:lost and perhaps others were not sent: .*Denied"
    ):
        stored.heal(sqs=closed)

    output = capsys.readouterr().out
    assert "RECONCILER_RETRY order-created:lost" in output
    assert metrics_of(output)["ReconcilerHealed"] == 0


def test_heal_without_time_left_says_how_far_it_came(stored: Stored) -> None:
    with pytest.raises(UnfinishedError, match=r"before the events stored until 2026-09-05T11:44 were seen"):
        stored.heal(seconds=1.0)


def test_windows_of_successive_runs_leave_no_minute_out_at_any_age() -> None:
    runs = [
        windows(
            NOW + run * 5 * MINUTE_SECONDS, interval_minutes=5, margin_seconds=900, horizon_seconds=86_400
        )
        for run in range(3)
    ]

    assert [len(found) for found in runs] == [7] * 3  # 15 and 30 minutes, 1, 2, 4, 8 and 16 hours
    for earlier, later in itertools.pairwise(runs):
        for before, after in zip(earlier, later, strict=True):
            assert after.first_minute <= minute_of(start_of(before.last_minute) + MINUTE_SECONDS)


def test_windows_with_the_defaults_look_eleven_times_at_an_event() -> None:
    found = windows(NOW, interval_minutes=5, margin_seconds=900, horizon_seconds=14 * 86_400)

    assert len(found) == 11
