"""Cross-field rules, as pure functions that answer in sentences.

Component constructors and the stack's settings call the same functions, so each rule is in one place.
"""

import re
from collections.abc import Mapping, Sequence

from .validation import NOT_RESERVED, UNLIMITED, InvalidSettingError, require_list

VISIBILITY_PER_TIMEOUT = 6
"""How many function timeouts a message must stay invisible, so that Lambda can retry throttled batches.
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html"""


def visibility_timeout_seconds(given_seconds: int, *, timeout_seconds: int, window_seconds: int) -> int:
    """How long a delivered message stays invisible: as given, or for 0 six function timeouts and the batch window.

    Raises:
        InvalidSettingError: a message could be delivered again while it is still being handled.
    """
    least = VISIBILITY_PER_TIMEOUT * timeout_seconds + window_seconds
    if 0 < given_seconds < least:
        raise InvalidSettingError(
            f"visibility_timeout_seconds must be {least} or more, but is {given_seconds}: "
            f"{VISIBILITY_PER_TIMEOUT} x function_timeout_seconds ({timeout_seconds}) "
            f"+ queue_batch_window_seconds ({window_seconds}). Leave it out to have it computed."
        )
    return given_seconds or least


def require_dead_letter_retention(dead_letter_seconds: int, queue_seconds: int) -> None:
    """Dead-letter messages outlive the delivery queue's.

    A standard queue's dead-letter message keeps its original send time, so the time it has already waited counts.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html

    Raises:
        InvalidSettingError: a dead-letter message could expire before anyone looks.
    """
    if dead_letter_seconds <= queue_seconds:
        raise InvalidSettingError(
            f"dead_letter_retention_seconds must be more than queue_retention_seconds ({queue_seconds}), but is "
            f"{dead_letter_seconds}: a dead-letter message keeps its original send time and would expire as it "
            "arrives. SQS keeps nothing beyond 1209600 (14 days), so the delivery queue has to keep less."
        )


def require_permission_for_unlimited(*, retries: int, record_seconds: int, is_allowed: bool) -> None:
    """A stream mapping without limit for retries or age is asked for twice.

    Raises:
        InvalidSettingError: one bad record would hold its shard until the stream drops it.
    """
    fields = {"stream_maximum_retries": retries, "stream_maximum_record_age_seconds": record_seconds}
    unlimited = [field for field, value in fields.items() if value == UNLIMITED]
    if unlimited and not is_allowed:
        raise InvalidSettingError(
            f"{unlimited[0]} must be a limit, but is {UNLIMITED}, which means without limit: one bad record would "
            "hold its shard until the stream drops it. Give a number, or set allow_unlimited_retries."
        )


SQS_BATCH_WITHOUT_WINDOW = 10
"""Largest batch one receive can fill. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html"""


def require_batch_window(batch_size: int, window_seconds: int) -> None:
    """A batch larger than one receive needs a window in which to gather it.

    Raises:
        InvalidSettingError: Lambda would refuse the mapping.
    """
    if batch_size > SQS_BATCH_WITHOUT_WINDOW and window_seconds < 1:
        raise InvalidSettingError(
            f"queue_batch_size must be 1 to {SQS_BATCH_WITHOUT_WINDOW} without a batch window, but is {batch_size}. "
            "Set queue_batch_window_seconds to 1 or more."
        )


def require_reserved_for_mapping(maximum_concurrency: int, reserved_concurrency: int) -> None:
    """The mapping must not start more invocations than the function may run.

    Raises:
        InvalidSettingError: throttled deliveries would count as receives and dead-letter messages unseen.
    """
    if NOT_RESERVED != reserved_concurrency < maximum_concurrency:
        raise InvalidSettingError(
            f"queue_maximum_concurrency must be at most reserved_concurrency ({reserved_concurrency}), but is "
            f"{maximum_concurrency}: throttled deliveries count as receives and end in the dead-letter queue."
        )


def require_stream_arn(stream_arn: object) -> str:
    """The ARN of a table's current stream.

    Raises:
        InvalidSettingError: empty (streams are off) or the ARN of something else.
    """
    if not stream_arn:
        raise InvalidSettingError(
            "stream_arn is empty: the table's stream is off. Set stream_enabled and "
            "stream_view_type=NEW_IMAGE on the table and pass its stream_arn."
        )
    if not isinstance(stream_arn, str) or ":dynamodb:" not in stream_arn or "/stream/" not in stream_arn:
        raise InvalidSettingError(
            "stream_arn must be the ARN of a DynamoDB stream, which the table gives as stream_arn, but is "
            f"{stream_arn!r}."
        )
    return stream_arn


VIEWS_WITH_NEW_IMAGE = ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")


def require_new_image(view_type: object) -> None:
    """The stream must carry the inserted row, for the stored body is what the relay sends.

    Raises:
        InvalidSettingError: the view has keys or old images only.
    """
    if view_type not in VIEWS_WITH_NEW_IMAGE:
        raise InvalidSettingError(
            f"stream_view_type must be {' or '.join(VIEWS_WITH_NEW_IMAGE)}, but is {view_type!r}: "
            "other views leave out the stored event that the relay forwards."
        )


_URL_AND_ARN = frozenset({"url", "arn"})


def require_queues(queues: object) -> None:
    """At least one queue, each with URL, ARN and perhaps event types.

    Raises:
        InvalidSettingError: the relay would send where it may not, or nowhere.
    """
    if not require_list("queues", queues):
        raise InvalidSettingError(
            "queues must name one queue at least. Give consumer.queue, or its url and arn."
        )
    for queue in require_list("queues", queues):
        if not isinstance(queue, Mapping) or not _URL_AND_ARN <= queue.keys() <= {
            *_URL_AND_ARN,
            "event_types",
        }:
            raise InvalidSettingError(
                f"Each of queues must have url and arn, and may have event_types, but one is {queue!r}. "
                "Give consumer.queue."
            )
        require_event_types(queue.get("event_types"))


def require_event_types(event_types: object) -> Sequence[str]:
    """Names of event types, each once; none for all.

    Raises:
        InvalidSettingError: a name is no text, or there twice.
    """
    names = require_list("event_types", event_types or [])
    for name in names:
        if not isinstance(name, str) or not name.strip() or names.count(name) > 1:
            raise InvalidSettingError(
                f"event_types must be names of event types, each once, but has {name!r}. Leave it out for all types."
            )
    return [str(name) for name in names]


def require_queue_url(field: str, url: object) -> str:
    """The URL of a queue.

    Raises:
        InvalidSettingError: an ARN, which SQS does not take as an address, or anything else.
    """
    if not isinstance(url, str) or not re.fullmatch(r"https?://\S+", url):
        raise InvalidSettingError(f"{field} must be a queue's URL, which it gives as url, but is {url!r}.")
    return url


def require_arn(field: str, arn: object, *, service: str, wanted: str) -> str:
    """An ARN of a service, in any partition.

    Raises:
        InvalidSettingError: it is the ARN of something else, a name, a URL, or nothing.
    """
    if not isinstance(arn, str) or not re.fullmatch(
        rf"arn:[a-z-]+:{service}:[a-z0-9-]+:\d{{12}}:[^\s:]+", arn
    ):
        raise InvalidSettingError(f"{field} must be {wanted}, but is {arn!r}.")
    return arn


def require_standard_queue(field: str, arn: object) -> str:
    """The ARN of a standard queue.

    Raises:
        InvalidSettingError: no queue's, or that of a FIFO queue, which refuses messages without a group; none is set.
    """
    known = require_arn(
        field, arn, service="sqs", wanted="the ARN of a standard queue, which it gives as arn"
    )
    if known.endswith(".fifo"):
        raise InvalidSettingError(
            f"{field} must be the ARN of a standard queue, but is that of a FIFO queue: {known}"
        )
    return known


def require_something_to_watch(fields: Sequence[str], names: Mapping[str, object]) -> None:
    """At least one name of something that an alarm watches.

    Raises:
        InvalidSettingError: there would be no alarm.
    """
    if not names:
        raise InvalidSettingError(
            f"Monitoring must be given something to watch, one at least of {', '.join(fields)}."
        )


def require_alarms_in_time(
    *, message_age_seconds: int, queue_seconds: int, stream_age_seconds: int, record_seconds: int
) -> None:
    """An alarm on age fires while what it is about can still be handled; a record age of -1 has no end.

    Raises:
        InvalidSettingError: the message or the record would be gone first.
    """
    if message_age_seconds >= queue_seconds:
        raise InvalidSettingError(
            f"alarm_message_age_seconds must be less than queue_retention_seconds ({queue_seconds}), but is "
            f"{message_age_seconds}: SQS would delete the message before the alarm."
        )
    if UNLIMITED != record_seconds <= stream_age_seconds:
        raise InvalidSettingError(
            f"alarm_stream_age_seconds must be less than stream_maximum_record_age_seconds ({record_seconds}), but is "
            f"{stream_age_seconds}: the record would expire before the alarm."
        )


RECONCILER_CHECKS = 2
"""Fewest checks of an event: a run can fail, and the age at the second check is twice the margin."""


def require_reconciler_checks(*, margin_seconds: int, horizon_seconds: int) -> None:
    """The reconciler's horizon leaves room for a second check of every event.

    Raises:
        InvalidSettingError: no run, or one alone, would ever check an event, and nothing would say so.
    """
    least = RECONCILER_CHECKS * margin_seconds
    if horizon_seconds < least:
        raise InvalidSettingError(
            f"reconciler_horizon_seconds must be {least} or more, but is {horizon_seconds}: "
            f"{RECONCILER_CHECKS} x reconciler_margin_seconds ({margin_seconds}), so that an event whose "
            "first run failed is checked again."
        )
