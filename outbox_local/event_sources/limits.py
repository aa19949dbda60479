"""Validation of a mapping that is created or changed, by AWS's rules.

Sources: https://docs.aws.amazon.com/lambda/latest/api/API_CreateEventSourceMapping.html,
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html and
https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html.
"""

from collections.abc import Mapping as Settings
from typing import Any

from .filters import InvalidFilter, compile_body_filters, compile_filter
from .mapping import FOR_EVER, REPORT_FAILURES, InvalidMapping, SourceKind, source_kind

BATCH_SIZE = range(1, 10_000 + 1)
BATCH_SIZE_WITHOUT_WINDOW_MOST = 10
FIFO_BATCH_SIZE_MOST = 10
WINDOW_SECONDS = range(300 + 1)
PARALLELIZATION = range(1, 10 + 1)
RETRIES = range(FOR_EVER, 10_000 + 1)
RECORD_AGE_SECONDS = range(60, 604_800 + 1)
MAXIMUM_CONCURRENCY = range(2, 1_000 + 1)
FILTERS_MOST = 5  # the default quota of an account
STARTING_POSITIONS = ("TRIM_HORIZON", "LATEST")

STREAM_ONLY = (
    "StartingPosition",
    "ParallelizationFactor",
    "MaximumRetryAttempts",
    "MaximumRecordAgeInSeconds",
    "BisectBatchOnFunctionError",
    "DestinationConfig",
)
# Settings AWS knows for these sources, whose effect this event source does not have: refused, never ignored.
NOT_EMULATED = (
    "AmazonManagedKafkaEventSourceConfig",
    "DocumentDBEventSourceConfig",
    "KMSKeyArn",
    "LoggingConfig",
    "MetricsConfig",
    "ProvisionedPollerConfig",
    "Queues",
    "SelfManagedEventSource",
    "SelfManagedKafkaEventSourceConfig",
    "SourceAccessConfigurations",
    "StartingPositionTimestamp",
    "Topics",
    "TumblingWindowInSeconds",
)
PARAMETERS = frozenset(
    {
        "BatchSize",
        "Enabled",
        "EventSourceArn",
        "FilterCriteria",
        "FunctionName",
        "FunctionResponseTypes",
        "MaximumBatchingWindowInSeconds",
        "ScalingConfig",
        "Tags",
        *STREAM_ONLY,
        *NOT_EMULATED,
    }
)
# What a description may say of settings that do not apply to its source: AWS's defaults, which have no effect there.
WITHOUT_EFFECT: dict[str, Any] = {
    "BisectBatchOnFunctionError": False,
    "DestinationConfig": {"OnFailure": {}},
    "MaximumRecordAgeInSeconds": FOR_EVER,
    "MaximumRetryAttempts": FOR_EVER,
    "ParallelizationFactor": 1,
}


def check_limits(settings: Settings[str, Any]) -> None:
    """Refuse what AWS refuses in the parameters of CreateEventSourceMapping.

    An absent parameter, or None, is AWS's default. For an update pass the stored settings, changed.

    Raises:
        InvalidMapping: A setting is out of its range or does not fit another; says setting, value and range.
    """
    if unknown := sorted(settings.keys() - PARAMETERS):
        raise InvalidMapping(
            f"{', '.join(unknown)}: no such parameter of CreateEventSourceMapping; "
            f"those it has are {', '.join(sorted(PARAMETERS))}."
        )
    arn = settings.get("EventSourceArn")
    if not isinstance(arn, str):
        raise InvalidMapping(f"EventSourceArn is {arn!r}: a mapping names the queue or stream it reads.")
    kind = source_kind(arn)
    _boolean(settings, "Enabled")
    _integer(settings, "BatchSize", BATCH_SIZE)
    _integer(settings, "MaximumBatchingWindowInSeconds", WINDOW_SECONDS)
    _check_response_types(settings.get("FunctionResponseTypes") or [])
    _check_filters(_object(settings, "FilterCriteria"), kind)
    for name in NOT_EMULATED:
        if settings.get(name):
            raise InvalidMapping(
                f"{name} is {settings[name]!r}: this event source has no such mode; leave it out."
            )
    if kind == "queue":
        _check_queue(settings, fifo=arn.endswith(".fifo"))
    else:
        _check_stream(settings)


def check_stored(description: Settings[str, Any]) -> None:
    """The same for a mapping as Lambda's API describes it.

    What a description has besides parameters is left aside, and so is what is empty or has no effect.

    Raises:
        InvalidMapping: The emulator stored what AWS would have refused.
    """
    settings = {
        name: value
        for name, value in description.items()
        if name in PARAMETERS and value not in (None, "", [], {}) and value != WITHOUT_EFFECT.get(name)
    }
    arn = settings.get("EventSourceArn")
    if isinstance(arn, str):
        # Some emulators store a starting position for queues, and some none for streams.
        position = settings.pop("StartingPosition", STARTING_POSITIONS[0])
        settings |= {"StartingPosition": position} if source_kind(arn) == "stream" else {}
    check_limits(settings)


def _check_queue(settings: Settings[str, Any], *, fifo: bool) -> None:
    for name in STREAM_ONLY:
        if settings.get(name) is not None:
            raise InvalidMapping(
                f"{name} is {settings[name]!r}: it applies to streams only; leave it out for a queue."
            )
    batch_size = settings.get("BatchSize") or 0
    window = settings.get("MaximumBatchingWindowInSeconds") or 0
    if fifo and window:
        raise InvalidMapping(
            f"MaximumBatchingWindowInSeconds is {window}: a FIFO queue has no batching window; leave it out."
        )
    if fifo and batch_size > FIFO_BATCH_SIZE_MOST:
        raise InvalidMapping(f"BatchSize is {batch_size}: a FIFO queue takes 1 to {FIFO_BATCH_SIZE_MOST}.")
    if batch_size > BATCH_SIZE_WITHOUT_WINDOW_MOST and not window:
        raise InvalidMapping(
            f"BatchSize is {batch_size} with MaximumBatchingWindowInSeconds 0: more than "
            f"{BATCH_SIZE_WITHOUT_WINDOW_MOST} messages a batch need a window of at least 1 second."
        )
    _integer(_object(settings, "ScalingConfig"), "MaximumConcurrency", MAXIMUM_CONCURRENCY)


def _check_stream(settings: Settings[str, Any]) -> None:
    position = settings.get("StartingPosition")
    if position not in STARTING_POSITIONS:
        raise InvalidMapping(
            f"StartingPosition is {position!r}: a DynamoDB stream needs {' or '.join(STARTING_POSITIONS)}."
        )
    if settings.get("ScalingConfig"):
        raise InvalidMapping(
            f"ScalingConfig is {settings['ScalingConfig']!r}: it applies to queues only; "
            "a stream is widened with ParallelizationFactor."
        )
    _integer(settings, "ParallelizationFactor", PARALLELIZATION)
    _integer(settings, "MaximumRetryAttempts", RETRIES)
    if settings.get("MaximumRecordAgeInSeconds") != FOR_EVER:
        _integer(settings, "MaximumRecordAgeInSeconds", RECORD_AGE_SECONDS, also=f", or {FOR_EVER} for ever")
    _boolean(settings, "BisectBatchOnFunctionError")
    destination = _object(_object(settings, "DestinationConfig"), "OnFailure").get("Destination")
    if destination is not None:
        _check_destination(destination)


def _check_destination(arn: object) -> None:
    service = arn.split(":")[2:3] if isinstance(arn, str) else []
    if service not in (["sqs"], ["sns"]) or str(arn).endswith(".fifo"):
        raise InvalidMapping(
            f"DestinationConfig.OnFailure.Destination is {arn!r}: "
            "give the ARN of a standard SQS queue or SNS topic."
        )


def _check_response_types(types: object) -> None:
    if types not in ([], [REPORT_FAILURES]):
        raise InvalidMapping(f"FunctionResponseTypes is {types!r}: the only value is [{REPORT_FAILURES!r}].")


def _check_filters(criteria: Settings[str, Any], kind: SourceKind) -> None:
    filters = criteria.get("Filters") or []
    if not isinstance(filters, list) or not all(isinstance(entry, dict) for entry in filters):
        raise InvalidMapping(f'FilterCriteria.Filters is {filters!r}: give a list of {{"Pattern": text}}.')
    if len(filters) > FILTERS_MOST:
        raise InvalidMapping(
            f"FilterCriteria has {len(filters)} filters: a mapping takes up to {FILTERS_MOST}."
        )
    for position, entry in enumerate(filters):
        try:
            if kind == "queue":
                compile_body_filters([entry.get("Pattern")])
            else:
                compile_filter(entry.get("Pattern"))
        except InvalidFilter as error:
            raise InvalidMapping(f"FilterCriteria.Filters[{position}].Pattern: {error}") from error


def _object(settings: Settings[str, Any], name: str) -> dict[str, Any]:
    value = settings.get(name)
    if value is not None and not isinstance(value, dict):
        raise InvalidMapping(f"{name} is {value!r}: give an object.")
    return value or {}


def _boolean(settings: Settings[str, Any], name: str) -> None:
    value = settings.get(name)
    if value is not None and not isinstance(value, bool):
        raise InvalidMapping(f"{name} is {value!r} ({type(value).__name__}): give true or false.")


def _integer(settings: Settings[str, Any], name: str, accepted: range, also: str = "") -> None:
    value = settings.get(name)
    if value is None:
        return
    if type(value) is not int or value not in accepted:
        raise InvalidMapping(
            f"{name} is {value!r} ({type(value).__name__}): "
            f"give a whole number from {accepted[0]} to {accepted[-1]}{also}."
        )
