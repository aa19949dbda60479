"""The decision after a delivery, rule by rule."""

from typing import Any

import pytest

from outbox_local.event_sources.events import StreamRecord, stream_record
from outbox_local.event_sources.invocation import Answered, NotInvoked
from outbox_local.event_sources.mapping import Mapping
from outbox_local.event_sources.retry import Batch, Settlement, backoff_seconds, expire, settle
from tests.outbox_local.event_sources.fakes import FUNCTION_ARN, START, STREAM_ARN, change, reported

ERROR = Answered(b"{}", function_error="Unhandled")
HALVES = {"bisects": True}


def mapping(**settings: Any) -> Mapping:
    return Mapping(
        **{
            "uuid": "u1",
            "source_arn": STREAM_ARN,
            "function_arn": FUNCTION_ARN,
            "enabled": True,
            "batch_size": 10,
            "reports_failures": True,
            "retries": 2,
            **settings,
        }
    )


def batch(*sequence_numbers: int, spent: int = 0, ages: tuple[float, ...] = ()) -> Batch:
    ages = ages or (0,) * len(sequence_numbers)
    return Batch(
        tuple(
            StreamRecord.of(
                stream_record(change(number, age_seconds=age), source_arn=STREAM_ARN, region="eu-central-1")
            )
            for number, age in zip(sequence_numbers, ages, strict=True)
        ),
        retries_spent=spent,
    )


def again(settlement: Settlement) -> list[tuple[list[int], int]]:
    """The batches to deliver next: their sequence numbers and the retries spent."""
    return [(_numbers(each), each.retries_spent) for each in settlement.again]


def _numbers(batch: Batch | None) -> list[int]:
    return [int(record.sequence_number) for record in batch.records] if batch else []


def test_settle_throttled_spends_no_retry_however_often() -> None:
    waiting = batch(1, 2, spent=2)

    for _ in range(10):
        settlement = settle(waiting, NotInvoked("TooManyRequestsException"), mapping(bisects=True))
        waiting = settlement.again[0]

    assert again(settlement) == [([1, 2], 2)]
    assert waiting.attempts == 10


def answered(*failed: int) -> Answered:
    return Answered(reported(*map(str, failed)).encode())


# The batch, the answer, the mapping's rules; the batches to deliver next with the retries spent, and those discarded.
@pytest.mark.parametrize(
    ("delivered", "outcome", "rules", "next_batches", "discarded"),
    [
        pytest.param(batch(1, 2), answered(), {}, [], [], id="success"),
        pytest.param(batch(1, 2), ERROR, {}, [([1, 2], 1)], [], id="function error"),
        pytest.param(batch(1, 2, spent=2), ERROR, {}, [], [1, 2], id="budget used up"),
        pytest.param(batch(1), ERROR, {"retries": 0}, [], [1], id="no retries"),
        pytest.param(batch(1, spent=9999), ERROR, {"retries": None}, [([1], 10_000)], [], id="for ever"),
        # As numbers 9 is lowest, as text 10 would be.
        pytest.param(
            batch(8, 9, 10, 11), answered(10, 9, 11), {}, [([9, 10, 11], 1)], [], id="lowest reported"
        ),
        pytest.param(batch(2, 3, spent=2), answered(3), {}, [([3], 1)], [], id="progress"),
        pytest.param(batch(1, 2, 3, spent=2), ERROR, HALVES, [([1], 0), ([2, 3], 0)], [], id="halves"),
        pytest.param(batch(1, 2, 3, 4), answered(3), HALVES, [([3, 4], 0)], [], id="rest alone"),
        pytest.param(batch(3, 4), answered(3), HALVES, [([3], 0), ([4], 0)], [], id="no progress"),
        pytest.param(batch(1, spent=2), ERROR, HALVES, [], [1], id="a single record"),
    ],
)
def test_settle_leads_to_what_comes_next_and_what_is_discarded(
    delivered: Batch,
    outcome: Answered,
    rules: dict[str, Any],
    next_batches: list[tuple[list[int], int]],
    discarded: list[int],
) -> None:
    settlement = settle(delivered, outcome, mapping(**rules))

    assert (again(settlement), _numbers(settlement.discarded)) == (next_batches, discarded)


def test_settle_record_that_keeps_being_reported_spends_the_budget() -> None:
    answer = answered(2)
    rules = mapping(retries=2)

    first = settle(batch(1, 2, 3), answer, rules)
    second = settle(first.again[0], answer, rules)
    third = settle(second.again[0], answer, rules)

    assert again(first) == [([2, 3], 1)]
    assert again(second) == [([2, 3], 2)]
    assert _numbers(third.discarded) == [2, 3]


@pytest.mark.parametrize(
    ("ages", "record_age_seconds"),
    [
        pytest.param((61, 60), 60, id="record age"),
        pytest.param((86_401, 86_399), None, id="the stream's retention"),
        pytest.param((86_401, 86_399), 604_800, id="record age beyond the retention"),
    ],
)
def test_expire_splits_off_what_is_older(ages: tuple[float, ...], record_age_seconds: int | None) -> None:
    old, fresh = expire(batch(1, 2, ages=ages), mapping(record_age_seconds=record_age_seconds), START)

    assert (_numbers(old), _numbers(fresh)) == ([1], [2])


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 0.5), (1, 0.5), (2, 1), (4, 4), (7, 30), (10_000, 30)])
def test_backoff_doubles_up_to_its_ceiling(attempts: int, seconds: float) -> None:
    assert backoff_seconds(attempts) == seconds
