"""The reconciler's run: which events it looks at and when, what it sends, and what it says of the rest."""

import itertools
import json
from collections import Counter
from dataclasses import replace
from decimal import Decimal
from typing import Any
from zlib import crc32

import pytest

from outbox.errors import SettingError, UnfinishedError
from outbox.heal import Schedule
from outbox.windows import windows
from tests.handlers.reconciling import MINUTE_SECONDS, NOW, SCHEDULE, Stored
from tests.handlers.support import Clock, Recorder, error


@pytest.fixture
def stored() -> Stored:
    return Stored()


def metrics_of(output: str) -> dict[str, int]:
    """The sums of the lines of metrics, one for each window."""
    sums: Counter[str] = Counter()
    for line in (json.loads(each) for each in output.splitlines() if '"_aws"' in each):
        [directive] = line["_aws"]["CloudWatchMetrics"]
        assert (directive["Namespace"], directive["Dimensions"]) == ("Outbox", [["FunctionName"]])
        assert line["FunctionName"] == "the-reconciler"
        sums.update({each["Name"]: line[each["Name"]] for each in directive["Metrics"]})
    return dict(sums)


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


def test_heal_sends_what_is_lost_beside_a_row_that_expires_at_a_fraction_of_a_second(stored: Stored) -> None:
    sound = stored.row("order-created:sound", age_minutes=17)
    odd = stored.row("order-created:odd", age_minutes=17, expires_at=Decimal("1999999999.5"))

    result = stored.heal()

    assert (result["healed"], stored.bodies()) == (2, sorted([sound, odd]))


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


def test_heal_cut_short_has_healed_and_counted_the_oldest_events_first(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    oldest = stored.row("order-created:oldest", age_minutes=15 * 2**10 + 1)
    stored.row("order-created:youngest", age_minutes=17)
    clock = Clock(30.0)
    dynamodb = stored.dynamodb

    def query_slowly(request: Any) -> Any:
        clock.remaining -= 2.0
        return dynamodb.query(**request)

    stored.dynamodb = Recorder(dynamodb, default=query_slowly, only="query")

    with pytest.raises(UnfinishedError, match=r"the time was up before all events stored from .* were seen"):
        stored.heal(clock=clock)

    assert stored.bodies() == [oldest]
    assert metrics_of(capsys.readouterr().out)["ReconcilerHealed"] == 1


def test_heal_without_time_left_makes_no_call_at_all(stored: Stored) -> None:
    calls = Recorder(stored.dynamodb)
    stored.dynamodb = calls

    with pytest.raises(UnfinishedError, match=r"the time was up .* Lambda runs it twice more; what is still"):
        stored.heal(clock=Clock(1.0))

    assert calls.calls == []


def test_heal_whose_time_ends_while_it_sends_leaves_the_rest_unsent(
    stored: Stored, capsys: pytest.CaptureFixture[str]
) -> None:
    ids = (f"order-created:{number}" for number in itertools.count())
    of_one_shard = [each for each in itertools.islice(ids, 1000) if crc32(each.encode()) % 8 == 0][:100]
    for event_id in of_one_shard:
        stored.row(event_id, age_minutes=17)
    clock = Clock(10.0)

    def send_slowly(request: Any) -> Any:
        clock.remaining -= 1.0
        return stored.sqs.send_message_batch(**request)

    with pytest.raises(UnfinishedError, match="the time was up before all events stored"):
        stored.heal(sqs=Recorder(stored.sqs, default=send_slowly), clock=clock)

    output = capsys.readouterr().out
    # Ten a call and a second each, until less is left than a call may take.
    assert len(stored.bodies()) == output.count("HEALED ") == metrics_of(output)["ReconcilerHealed"] == 30
    assert output.count("RECONCILER_RETRY ") == 70
    assert "time is used up" in output


def test_schedule_that_would_never_look_at_anything_is_refused() -> None:
    with pytest.raises(
        SettingError, match="RECONCILE_HORIZON_SECONDS is 3600, less than RECONCILE_MARGIN_SECONDS, 86400"
    ):
        Schedule(interval_minutes=5, margin_seconds=86_400, horizon_seconds=3600)


def test_heal_leaves_what_was_stored_before_its_start_alone_and_is_no_error_where_that_is_all(
    stored: Stored,
) -> None:
    stored.row("order-created:before", age_minutes=18)
    since = stored.row("order-created:since", age_minutes=17)

    result = stored.heal(schedule=replace(SCHEDULE, start=int(NOW) - 17 * MINUTE_SECONDS + 59))
    later = stored.heal(schedule=replace(SCHEDULE, start=int(NOW)))

    assert (result["healed"], stored.bodies(), later["rows"]) == (1, [since], 0)


def test_windows_with_the_defaults_look_eleven_times_at_an_event() -> None:
    found = windows(NOW, interval_minutes=5, margin_seconds=900, horizon_seconds=14 * 86_400)

    assert len(found) == 11
