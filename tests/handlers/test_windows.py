"""The reconciler's windows, for every setting that is accepted: no event twice a run, none left out, none too early."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from components import limits
from components.relations import require_reconciler_looks
from components.validation import InvalidSettingError
from outbox.heal import Schedule
from outbox.rows import minute_of, start_of
from outbox.settings import MOST_DIGITS
from outbox.windows import MINUTE_SECONDS, windows
from tests.handlers.test_heal import NOW, Stored


class Paged:
    """DynamoDB whose queries answer three rows a page."""

    def __init__(self, dynamodb: Any) -> None:
        self._dynamodb = dynamodb

    def query(self, **request: Any) -> dict[str, Any]:
        begin = request.pop("ExclusiveStartKey", 0)
        answer = self._dynamodb.query(**request)
        rows = answer["Items"]
        more = {"LastEvaluatedKey": begin + 3} if begin + 3 < len(rows) else {}
        return {**answer, "Items": rows[begin : begin + 3], **more}

    def __getattr__(self, operation: str) -> Any:
        return getattr(self._dynamodb, operation)


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
            require_reconciler_looks(margin_seconds=margin, horizon_seconds=horizon)
        except InvalidSettingError:
            continue
        yield Schedule(interval, margin, horizon)


def minutes_of(at: float, schedule: Schedule) -> Counter[str]:
    """How often each minute is looked at by one run."""
    return Counter(
        minute_of(start_of(first) + minute * MINUTE_SECONDS)
        for first, last in windows(at, **vars(schedule))
        for minute in range(int(start_of(last) - start_of(first)) // MINUTE_SECONDS + 1)
    )


def test_no_minute_is_looked_at_twice_in_a_run_whatever_the_settings() -> None:
    schedules = list(accepted(CHOSEN))

    twice = {
        schedule: minute
        for schedule in schedules
        for minute, count in minutes_of(NOW + 17, schedule).items()
        if count > 1
    }

    assert twice == {}
    assert len(schedules) >= CHOSEN


def test_every_minute_is_looked_at_at_each_age_by_some_run_whatever_the_settings() -> None:
    for schedule in itertools.islice(accepted(CHOSEN), 60):
        step = schedule.interval_minutes * MINUTE_SECONDS
        seen = sum((minutes_of(NOW + run * step, schedule) for run in range(RUNS)), Counter[str]())
        age = schedule.margin_seconds
        while age <= schedule.horizon_seconds:
            # What had this age between the first run and the last.
            youngest = NOW + (RUNS - 1) * step - age - MINUTE_SECONDS
            for minute in range(schedule.interval_minutes * (RUNS - 1)):
                assert seen[minute_of(youngest - minute * MINUTE_SECONDS)], schedule
            age *= 2


@pytest.mark.parametrize("start_minutes_ago", [0, 10, 17, 40, 100_000])
def test_no_minute_before_the_start_is_looked_at_and_every_one_from_it_on(start_minutes_ago: int) -> None:
    start = int(NOW) - start_minutes_ago * MINUTE_SECONDS + 30
    for schedule in itertools.islice(accepted(CHOSEN), 60):
        everything = minutes_of(NOW, schedule)

        seen = minutes_of(NOW, Schedule(**{**vars(schedule), "start": start}))

        assert seen == Counter({each: 1 for each in everything if each >= minute_of(start)}), schedule


@pytest.mark.parametrize("schedule", list(itertools.islice(accepted(CHOSEN), 0, 90, 9)), ids=str)
def test_run_sends_each_lost_event_at_most_once_in_pages_too(schedule: Schedule) -> None:
    stored = Stored()
    stored.dynamodb = Paged(stored.dynamodb)
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
