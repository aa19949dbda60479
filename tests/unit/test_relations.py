"""Values together: what is accepted, and the sentence for what is not."""

from collections.abc import Callable

import pytest

from components.addresses import require_topics
from components.limits import DAY_SECONDS
from components.relations import (
    require_batch_window,
    require_dead_letter_retention,
    require_event_types,
    require_new_image,
    require_permission_for_unlimited,
    require_queue_url,
    require_queues,
    require_reserved_for_mapping,
    require_standard_queue,
    require_stream_arn,
    visibility_timeout_seconds,
)
from components.validation import NOT_RESERVED, InvalidSettingError
from tests.unit.builders import QUEUE_ARN, STREAM_ARN

QUEUE_URL = "https://sqs.us-east-1.test/123456789012/q"
TOPIC_ARN = "arn:aws:sns:us-east-1:123456789012:on-call"
TABLE_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/t"
QUEUE_ARNS = [
    f"arn:{partition}:sqs:eusc-de-east-1:123456789012:orders"
    for partition in ("aws", "aws-cn", "aws-us-gov", "aws-eusc")
]

Check = Callable[[], object]


def visibility(given: int, timeout: int, window: int) -> Check:
    return lambda: visibility_timeout_seconds(given, timeout_seconds=timeout, window_seconds=window)


def unlimited(retries: int, record_seconds: int, *, is_allowed: bool) -> Check:
    return lambda: require_permission_for_unlimited(
        retries=retries, record_seconds=record_seconds, is_allowed=is_allowed
    )


ACCEPTED: list[tuple[Check, object]] = [
    (visibility(60, 10, 0), 60),
    (visibility(200, 30, 20), 200),
    (visibility(43_200, 900, 300), 43_200),
    (visibility(0, 10, 1), 61),
    (lambda: require_reserved_for_mapping(3, 3), None),
    (lambda: require_reserved_for_mapping(10, NOT_RESERVED), None),
    (lambda: require_batch_window(10, 0), None),
    (lambda: require_batch_window(11, 1), None),
    (lambda: require_dead_letter_retention(4 * DAY_SECONDS, 1 * DAY_SECONDS), None),
    (unlimited(-1, 60, is_allowed=True), None),
    (unlimited(0, -1, is_allowed=True), None),
    (lambda: require_stream_arn(STREAM_ARN), STREAM_ARN),
    (lambda: require_new_image("NEW_IMAGE"), None),
    (lambda: require_new_image("NEW_AND_OLD_IMAGES"), None),
    (lambda: [require_standard_queue("queue_arn", arn) for arn in QUEUE_ARNS], QUEUE_ARNS),
]


@pytest.mark.parametrize(("check", "answer"), ACCEPTED)
def test_values_that_fit_are_accepted(check: Check, answer: object) -> None:
    assert check() == answer


REFUSED: list[tuple[str, list[Check]]] = [
    ("must be 200 or more, but is 60: 6 x function_timeout", [visibility(60, 30, 20)]),
    ("must be 200 or more, but is 199: 6 x function_timeout", [visibility(199, 30, 20)]),
    ("must be 61 or more, but is 60: 6 x function_timeout", [visibility(60, 10, 1)]),
    (
        r"queue_maximum_concurrency must be at most reserved_concurrency \(3\), but is 10",
        [lambda: require_reserved_for_mapping(10, 3)],
    ),
    (
        r"queue_batch_size must be 1 to 10 without a batch window, but is 11\. Set",
        [lambda: require_batch_window(11, 0)],
    ),
    (
        r"original send time .* beyond 1209600 \(14 days\), so the delivery",
        [
            lambda: require_dead_letter_retention(4 * DAY_SECONDS, 4 * DAY_SECONDS),
            lambda: require_dead_letter_retention(14 * DAY_SECONDS, 14 * DAY_SECONDS),
        ],
    ),
    (
        r"is -1, which means without limit: .* set allow_unlimited_retries",
        [unlimited(-1, 60, is_allowed=False), unlimited(0, -1, is_allowed=False)],
    ),
    (
        r"stream is off\. Set stream_enabled and stream_view_type=NEW_IMAGE",
        [lambda: require_stream_arn(""), lambda: require_stream_arn(None)],
    ),
    (
        "stream_arn must be the ARN of a DynamoDB stream",
        [
            lambda: require_stream_arn(TABLE_ARN),
            lambda: require_stream_arn("arn:aws:kinesis:us-east-1:123456789012:stream/s"),
            lambda: require_stream_arn(7),
        ],
    ),
    (
        "stream_view_type must be NEW_IMAGE or NEW_AND.*, but is '(KEYS_ONLY|OLD_IMAGE|)'",
        [
            lambda: require_new_image("KEYS_ONLY"),
            lambda: require_new_image("OLD_IMAGE"),
            lambda: require_new_image(""),
        ],
    ),
    (
        "queues must name one queue at least|Each of queues must have url and arn, .* but one is",
        [
            lambda: require_queues([]),
            lambda: require_queues(["u"]),
            lambda: require_queues([{"url": "u"}]),
            lambda: require_queues([{"url": "u", "arn": "a", "types": ["T"]}]),
        ],
    ),
    (
        "event_types must be names of event types, each once|event_types must be a list",
        [
            lambda: require_event_types("T"),
            lambda: require_event_types(["T", "T"]),
            lambda: require_event_types([5]),
            lambda: require_event_types([" "]),
        ],
    ),
    (
        "must be the ARN of a standard queue, but is that of a FIFO queue",
        [lambda: require_standard_queue("queue_arn", f"{QUEUE_ARN}.fifo")],
    ),
]


@pytest.mark.parametrize(
    ("sentence", "check"), [(sentence, check) for sentence, checks in REFUSED for check in checks]
)
def test_values_that_do_not_fit_are_refused_with_the_reason(sentence: str, check: Check) -> None:
    with pytest.raises(InvalidSettingError, match=sentence):
        check()


@pytest.mark.parametrize("other", [QUEUE_URL, f"{TOPIC_ARN}:a-subscription", "orders", "", None, 7])
def test_what_is_no_arn_of_its_kind_is_refused(other: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"queue_arn must be the ARN of a standard queue"):
        require_standard_queue("queue_arn", other)
    with pytest.raises(InvalidSettingError, match=r"alarm_topic_arns must be ARNs of SNS topics"):
        require_topics([TOPIC_ARN, other])


@pytest.mark.parametrize("other", [QUEUE_ARN, "orders", f"{QUEUE_URL} x", None])
def test_what_is_no_url_of_a_queue_is_refused(other: object) -> None:
    with pytest.raises(InvalidSettingError, match=r"queue_url must be a queue's URL"):
        require_queue_url("queue_url", other)
