"""The decision after a delivery, rule by rule."""

from typing import Any

import pytest

from outbox_local.event_sources.events import StreamRecord, stream_record
from outbox_local.event_sources.invocation import Answered, NotInvoked
from outbox_local.event_sources.mapping import Mapping
from outbox_local.event_sources.retry import Batch, Settlement, backoff_seconds, expire, settle
from tests.outbox_local.event_sources.fakes import FUNCTION_ARN, START, STREAM_ARN, change, reported

ERROR = Answered(b"{}", function_error="Unhandled")


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


def test_settle_success_leaves_nothing() -> None:
    settlement = settle(batch(1, 2), Answered(reported().encode()), mapping())

    assert settlement == Settlement()


def test_settle_throttled_spends_no_retry_however_often() -> None:
    waiting = batch(1, 2, spent=2)

    for _ in range(10):
        settlement = settle(waiting, NotInvoked("TooManyRequestsException"), mapping(bisects=True))
        waiting = settlement.again[0]

    assert again(settlement) == [([1, 2], 2)]
    assert waiting.attempts == 10


def test_settle_function_error_spends_a_retry_of_the_whole_batch() -> None:
    settlement = settle(batch(1, 2), ERROR, mapping())

    assert again(settlement) == [([1, 2], 1)]


def test_settle_budget_used_up_discards_the_batch() -> None:
    settlement = settle(batch(1, 2, spent=2), ERROR, mapping(retries=2))

    assert (again(settlement), _numbers(settlement.discarded)) == ([], [1, 2])


def test_settle_zero_retries_discards_after_the_first_failure() -> None:
    settlement = settle(batch(1), ERROR, mapping(retries=0))

    assert _numbers(settlement.discarded) == [1]


def test_settle_retries_for_ever_never_discards() -> None:
    settlement = settle(batch(1, spent=100_000), ERROR, mapping(retries=None))

    assert settlement.discarded is None


def test_settle_lowest_reported_number_is_the_checkpoint() -> None:
    answer = Answered(reported("10", "9", "11").encode())  # as numbers 9 is lowest, as text 10 would be

    settlement = settle(batch(8, 9, 10, 11), answer, mapping())

    assert again(settlement) == [([9, 10, 11], 1)]


def test_settle_record_that_keeps_being_reported_spends_the_budget() -> None:
    answer = Answered(reported("2").encode())
    rules = mapping(retries=2)

    first = settle(batch(1, 2, 3), answer, rules)
    second = settle(first.again[0], answer, rules)
    third = settle(second.again[0], answer, rules)

    assert again(first) == [([2, 3], 1)]
    assert again(second) == [([2, 3], 2)]
    assert _numbers(third.discarded) == [2, 3]


def test_settle_progress_starts_the_budget_anew() -> None:
    settlement = settle(batch(2, 3, spent=2), Answered(reported("3").encode()), mapping(retries=2))

    assert again(settlement) == [([3], 1)]


def test_settle_bisect_halves_a_failing_batch_and_spends_no_retry() -> None:
    settlement = settle(batch(1, 2, 3, spent=2), ERROR, mapping(bisects=True, retries=2))

    assert again(settlement) == [([1], 0), ([2, 3], 0)]


def test_settle_bisect_with_a_reported_number_retries_the_rest_alone() -> None:
    answer = Answered(reported("3").encode())

    settlement = settle(batch(1, 2, 3, 4), answer, mapping(bisects=True))

    assert again(settlement) == [([3, 4], 0)]


def test_settle_bisect_without_progress_halves() -> None:
    answer = Answered(reported("3").encode())

    settlement = settle(batch(3, 4), answer, mapping(bisects=True))

    assert again(settlement) == [([3], 0), ([4], 0)]


def test_settle_bisect_of_a_single_record_spends_the_budget() -> None:
    settlement = settle(batch(1, spent=2), ERROR, mapping(bisects=True, retries=2))

    assert _numbers(settlement.discarded) == [1]


def test_expire_splits_off_what_is_older_than_the_record_age() -> None:
    old, fresh = expire(batch(1, 2, 3, ages=(61, 60, 0)), mapping(record_age_seconds=60), START)

    assert (_numbers(old), _numbers(fresh)) == ([1], [2, 3])


def test_expire_without_a_record_age_ends_with_the_streams_retention() -> None:
    old, fresh = expire(batch(1, 2, ages=(86_401, 86_399)), mapping(record_age_seconds=None), START)

    assert (_numbers(old), _numbers(fresh)) == ([1], [2])


def test_expire_record_age_beyond_the_streams_retention_ends_with_it() -> None:
    old, fresh = expire(batch(1, 2, ages=(86_401, 86_399)), mapping(record_age_seconds=604_800), START)

    assert (_numbers(old), _numbers(fresh)) == ([1], [2])


@pytest.mark.parametrize(("attempts", "seconds"), [(0, 0.5), (1, 0.5), (2, 1), (4, 4), (7, 30), (10_000, 30)])
def test_backoff_doubles_up_to_its_ceiling(attempts: int, seconds: float) -> None:
    assert backoff_seconds(attempts) == seconds
