"""The reconciler's windows, for every setting that is accepted: no event twice a run, none left out, none too early."""

import itertools
import random
from collections.abc import Iterator
from typing import Any

import pytest

from components import limits
from components.relations import require_reconciler_checks
from components.validation import InvalidSettingError
from outbox.heal import Schedule
from outbox.rows import minute_of, start_of
from outbox.settings import MOST_DIGITS
from outbox.windows import MINUTE_SECONDS, Window, windows
from tests.handlers.reconciling import NOW, Stored
from tests.handlers.support import Recorder


def _in_pages(dynamodb: Any) -> Recorder:
    """DynamoDB whose queries answer three rows a page."""

    def query(request: Any) -> dict[str, Any]:
        begin = request.get("ExclusiveStartKey", 0)
        answer = dynamodb.query(
            **{name: each for name, each in request.items() if name != "ExclusiveStartKey"}
        )
        rows = answer["Items"]
        more = {"LastEvaluatedKey": begin + 3} if begin + 3 < len(rows) else {}
        return {**answer, "Items": rows[begin : begin + 3], **more}

    return Recorder(dynamodb, default=query, only="query")


RUNS = 4
CHOSEN = 400


def accepted(chosen: int) -> Iterator[Schedule]:
    """Settings that the component accepts: the ends of every range, and many in between."""
    rng = random.Random(14)  # noqa: S311 - no secrets
    settings = (
        limits.RECONCILER_INTERVAL_MINUTES,
        limits.RECONCILER_MARGIN_SECONDS,
        limits.RECONCILER_HORIZON_SECONDS,
    )
    ends = itertools.product(*((each.minimum, each.default, each.maximum) for each in settings))
    between = (tuple(rng.randint(each.minimum, each.maximum) for each in settings) for _ in itertools.count())
    small = (
        (rng.randint(1, 60), rng.randint(60, 7200), rng.randint(3600, 90_000)) for _ in itertools.count()
    )
    for interval, margin, horizon in itertools.chain(
        ends, itertools.islice(between, chosen), itertools.islice(small, chosen)
    ):
        try:
            require_reconciler_checks(margin_seconds=margin, horizon_seconds=horizon)
        except InvalidSettingError:
            continue
        yield Schedule(interval, margin, horizon)


def _windows(at: float, schedule: Schedule) -> list[Window]:
    return windows(at, **vars(schedule))


def test_windows_of_a_run_share_no_minute_whatever_the_settings() -> None:
    schedules = list(accepted(CHOSEN))

    for schedule in schedules:
        found = _windows(NOW + 17, schedule)
        assert all(first <= last for first, last in found), schedule
        assert all(older.last_minute < younger.first_minute for older, younger in itertools.pairwise(found))
    assert len(schedules) >= CHOSEN


def test_every_minute_is_in_a_window_of_some_run_at_each_age_whatever_the_settings() -> None:
    for schedule in itertools.islice(accepted(CHOSEN), 60):
        step = schedule.interval_minutes * MINUTE_SECONDS
        seen = [window for run in range(RUNS) for window in _windows(NOW + run * step, schedule)]
        age = schedule.margin_seconds
        while age <= schedule.horizon_seconds:
            # Stored so that it had this age between the first run and the last: a stretch without a gap.
            youngest = NOW + (RUNS - 1) * step - age - MINUTE_SECONDS
            oldest = youngest - (schedule.interval_minutes * (RUNS - 1) - 1) * MINUTE_SECONDS
            assert _is_covered(minute_of(oldest), minute_of(youngest), seen), schedule
            age *= 2


def _is_covered(first: str, last: str, found: list[Window]) -> bool:
    """Whether each minute from the first to the last is in one of the windows."""
    for window in sorted(found):
        if window.first_minute <= first <= window.last_minute:
            first = minute_of(start_of(window.last_minute) + MINUTE_SECONDS)
    return first > last


@pytest.mark.parametrize("start_minutes_ago", [0, 10, 17, 40, 100_000])
def test_windows_hold_no_minute_before_the_start_and_every_one_from_it_on(start_minutes_ago: int) -> None:
    start = int(NOW) - start_minutes_ago * MINUTE_SECONDS + 30
    for schedule in itertools.islice(accepted(CHOSEN), 60):
        found = _windows(NOW, Schedule(**{**vars(schedule), "start": start}))

        everything = _windows(NOW, schedule)
        begin = minute_of(start)
        assert found == [Window(max(first, begin), last) for first, last in everything if last >= begin]


@pytest.mark.parametrize("schedule", list(itertools.islice(accepted(CHOSEN), 0, 90, 9)), ids=str)
def test_run_sends_each_lost_event_at_most_once_in_pages_too(schedule: Schedule) -> None:
    stored = Stored()
    stored.dynamodb = _in_pages(stored.dynamodb)
    sent_at = [schedule.margin_seconds // MINUTE_SECONDS + 1 + minute for minute in range(40)]
    for minute in sent_at:
        stored.row(f"order-created:{minute}", age_minutes=minute)

    result = stored.heal(schedule=schedule)

    bodies = stored.bodies()
    assert len(bodies) == len(set(bodies)) == result["healed"]
    assert bodies


def test_interval_that_reaches_beyond_the_first_year_looks_back_to_the_start() -> None:
    longest = 10**MOST_DIGITS - 1

    [window] = windows(NOW, interval_minutes=longest, margin_seconds=900, horizon_seconds=longest, start=120)

    assert window == ("1970-01-01T00:02", minute_of(NOW - 900 - MINUTE_SECONDS))
