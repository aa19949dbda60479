"""Values together: what is accepted, and the sentence for what is not."""

import pytest

from components.addresses import require_topics
from components.limits import DAY_SECONDS
from components.relations import (
    require_batch_window,
    require_dead_letter_retention,
    require_new_image,
    require_queue_url,
    require_queues,
    require_reserved_for_mapping,
    require_standard_queue,
    require_stream_arn,
    visibility_timeout_seconds,
)
from components.validation import NOT_RESERVED, InvalidSettingError

STREAM_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026-09-05T12:00:00.000"
QUEUE_URL = "https://sqs.us-east-1.test/123456789012/q"
TOPIC_ARN = "arn:aws:sns:us-east-1:123456789012:on-call"
TABLE_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/t"


@pytest.mark.parametrize(
    ("visibility", "timeout", "window"), [(60, 10, 0), (200, 30, 20), (43_200, 900, 300)]
)
def test_c4_visibility_of_six_timeouts_and_the_window_is_accepted(
    visibility: int, timeout: int, window: int
) -> None:
    given = visibility_timeout_seconds(visibility, timeout_seconds=timeout, window_seconds=window)

    assert given == visibility


def test_visibility_that_is_left_out_is_the_least_that_is_safe() -> None:
    assert visibility_timeout_seconds(0, timeout_seconds=10, window_seconds=1) == 61


@pytest.mark.parametrize(
    ("visibility", "timeout", "window", "least"), [(60, 30, 20, 200), (199, 30, 20, 200), (60, 10, 1, 61)]
)
def test_c4_visibility_left_behind_is_refused(visibility: int, timeout: int, window: int, least: int) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"must be {least} or more, but is {visibility}: 6 x function_timeout"
    ):
        visibility_timeout_seconds(visibility, timeout_seconds=timeout, window_seconds=window)


def test_c5_mapping_may_not_exceed_the_reserved_concurrency() -> None:
    require_reserved_for_mapping(3, 3)
    require_reserved_for_mapping(10, NOT_RESERVED)

    with pytest.raises(
        InvalidSettingError,
        match=r"queue_maximum_concurrency must be at most reserved_concurrency \(3\), but is 10",
    ):
        require_reserved_for_mapping(10, 3)


@pytest.mark.parametrize(("batch", "window"), [(10, 0), (11, 1), (10_000, 300)])
def test_c6_batch_that_fits_its_window_is_accepted(batch: int, window: int) -> None:
    require_batch_window(batch, window)


def test_c6_large_batch_without_window_is_refused() -> None:
    with pytest.raises(
        InvalidSettingError, match=r"queue_batch_size must be 1 to 10 without a batch window, but is 11\. Set"
    ):
        require_batch_window(11, 0)


def test_c7_dead_letters_that_outlive_the_queue_are_accepted() -> None:
    require_dead_letter_retention(4 * DAY_SECONDS, 1 * DAY_SECONDS)


@pytest.mark.parametrize("days", [4, 14])
def test_c7_equal_retention_is_refused_and_explained(days: int) -> None:
    with pytest.raises(
        InvalidSettingError, match=r"original send time .* beyond 1209600 \(14 days\), so the delivery"
    ):
        require_dead_letter_retention(days * DAY_SECONDS, days * DAY_SECONDS)


def test_b13_stream_arn_is_returned() -> None:
    assert require_stream_arn(STREAM_ARN) == STREAM_ARN


@pytest.mark.parametrize("empty", ["", None])
def test_b13_table_with_streams_off_is_refused(empty: object) -> None:
    with pytest.raises(
        InvalidSettingError, match=r"stream is off\. Set stream_enabled and stream_view_type=NEW_IMAGE"
    ):
        require_stream_arn(empty)


@pytest.mark.parametrize("other", [TABLE_ARN, "arn:aws:kinesis:us-east-1:123456789012:stream/s", 7])
def test_b13_arn_of_something_else_is_refused(other: object) -> None:
    with pytest.raises(InvalidSettingError, match="stream_arn must be the ARN of a DynamoDB stream"):
        require_stream_arn(other)


@pytest.mark.parametrize("view", ["KEYS_ONLY", "OLD_IMAGE", ""])
def test_b13_view_without_new_image_is_refused(view: str) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"stream_view_type must be NEW_IMAGE or NEW_AND.*, but is '{view}'"
    ):
        require_new_image(view)


@pytest.mark.parametrize("view", ["NEW_IMAGE", "NEW_AND_OLD_IMAGES"])
def test_b13_view_with_new_image_is_accepted(view: str) -> None:
    require_new_image(view)


@pytest.mark.parametrize(("urls", "arns"), [([], []), (["u"], []), (["u"], ["a", "b"])])
def test_queues_without_matching_arns_are_refused(urls: list[str], arns: list[str]) -> None:
    with pytest.raises(
        InvalidSettingError, match=f"queue_urls has {len(urls)} entries and queue_arns {len(arns)}"
    ):
        require_queues(urls, arns)


def test_c6_fifo_queue_is_refused() -> None:
    with pytest.raises(
        InvalidSettingError, match="must be the ARN of a standard queue, but is that of a FIFO queue"
    ):
        require_standard_queue("queue_arn", "arn:aws:sqs:us-east-1:123456789012:orders.fifo")


@pytest.mark.parametrize("partition", ["aws", "aws-cn", "aws-us-gov", "aws-eusc"])
def test_arn_of_a_queue_in_any_partition_is_returned(partition: str) -> None:
    arn = f"arn:{partition}:sqs:eusc-de-east-1:123456789012:orders"

    assert require_standard_queue("queue_arn", arn) == arn


@pytest.mark.parametrize("other", [QUEUE_URL, TOPIC_ARN, "orders", "", None, 7])
def test_what_is_no_arn_of_a_queue_is_refused(other: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"queue_arn must be the ARN of a standard queue"):
        require_standard_queue("queue_arn", other)


@pytest.mark.parametrize("other", ["arn:aws:sqs:us-east-1:123456789012:q", "orders", f"{QUEUE_URL} x", None])
def test_what_is_no_url_of_a_queue_is_refused(other: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"queue_url must be a queue's URL"):
        require_queue_url("queue_url", other)


@pytest.mark.parametrize("other", ["x", f"{TOPIC_ARN}:a-subscription", QUEUE_URL, None])
def test_what_is_no_topic_is_refused(other: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"alarm_topic_arns must be ARNs of SNS topics"):
        require_topics([TOPIC_ARN, other])
