from typing import Any

import botocore.session
import pytest

from outbox_local.event_sources import InvalidMapping, check_limits
from outbox_local.event_sources.limits import PARAMETERS, check_stored
from tests.outbox_local.event_sources.fakes import DESTINATION_ARN, QUEUE_ARN, STREAM_ARN

QUEUE = {"EventSourceArn": QUEUE_ARN, "BatchSize": 1}
FIFO = {"EventSourceArn": f"{QUEUE_ARN}.fifo", "BatchSize": 10}
STREAM = {"EventSourceArn": STREAM_ARN, "StartingPosition": "TRIM_HORIZON"}
MANY_FILTERS = {"Filters": [{"Pattern": '{"eventName": ["INSERT"]}'}] * 6}
NUMERIC_OVERFLOW = {"Filters": [{"Pattern": '{"a": [{"numeric": ["=", 1e999999999]}]}'}]}


@pytest.mark.parametrize(
    "settings",
    [
        QUEUE,
        {"EventSourceArn": QUEUE_ARN},
        {**QUEUE, "BatchSize": 10, "MaximumBatchingWindowInSeconds": 0},
        {**QUEUE, "BatchSize": 11, "MaximumBatchingWindowInSeconds": 1},
        {**QUEUE, "BatchSize": 10_000, "MaximumBatchingWindowInSeconds": 300},
        {**QUEUE, "ScalingConfig": {"MaximumConcurrency": 2}},
        {**QUEUE, "ScalingConfig": {"MaximumConcurrency": 1000}},
        {**QUEUE, "FunctionResponseTypes": ["ReportBatchItemFailures"]},
        FIFO,
        STREAM,
        {**STREAM, "StartingPosition": "LATEST", "BatchSize": 10_000, "ParallelizationFactor": 10},
        {**STREAM, "MaximumRetryAttempts": -1, "MaximumRecordAgeInSeconds": -1},
        {**STREAM, "MaximumRetryAttempts": 0, "MaximumRecordAgeInSeconds": 60},
        {**STREAM, "MaximumRetryAttempts": 10_000, "MaximumRecordAgeInSeconds": 604_800},
        {**STREAM, "DestinationConfig": {"OnFailure": {"Destination": DESTINATION_ARN}}},
        {**STREAM, "FilterCriteria": {"Filters": [{"Pattern": '{"eventName": ["INSERT"]}'}]}},
    ],
)
def test_check_limits_settings_aws_takes_are_accepted(settings: dict[str, Any]) -> None:
    check_limits(settings)


@pytest.mark.parametrize(
    ("base", "change", "message"),
    [
        (QUEUE, {"EventSourceArn": None}, "EventSourceArn is None"),
        (QUEUE, {"EventSourceArn": "arn:aws:s3:::bucket"}, "SQS queue, or of a DynamoDB table's stream"),
        (QUEUE, {"BatchSize": 0}, r"BatchSize is 0 \(int\): give a whole number from 1 to 10000"),
        (QUEUE, {"BatchSize": 10_001}, "from 1 to 10000"),
        (QUEUE, {"BatchSize": True}, r"BatchSize is True \(bool\)"),
        (QUEUE, {"BatchSize": "10"}, r"BatchSize is '10' \(str\)"),
        (QUEUE, {"MaximumBatchingWindowInSeconds": -1}, "from 0 to 300"),
        (QUEUE, {"MaximumBatchingWindowInSeconds": 301}, "from 0 to 300"),
        (
            QUEUE,
            {"BatchSize": 11},
            "BatchSize is 11 with MaximumBatchingWindowInSeconds 0.*at least 1 second",
        ),
        (QUEUE, {"ScalingConfig": {"MaximumConcurrency": 1}}, "MaximumConcurrency is 1 .*from 2 to 1000"),
        (QUEUE, {"ScalingConfig": {"MaximumConcurrency": 1001}}, "from 2 to 1000"),
        (QUEUE, {"FunctionResponseTypes": ["ReportFailures"]}, "only value is .*ReportBatchItemFailures"),
        (QUEUE, {"StartingPosition": "LATEST"}, "streams only"),
        (QUEUE, {"MaximumRetryAttempts": 0}, "streams only"),
        (QUEUE, {"ProvisionedPollerConfig": {"MinimumPollers": 2}}, "no such mode"),
        (QUEUE, {"Topics": ["t"]}, "no such mode"),
        (
            QUEUE,
            {"BatchSise": 1},
            "BatchSise: no such parameter of CreateEventSourceMapping; those it has are",
        ),
        (QUEUE, {"Enabled": "yes"}, r"Enabled is 'yes' \(str\): give true or false"),
        (QUEUE, {"ScalingConfig": 5}, "ScalingConfig is 5: give an object"),
        (QUEUE, {"FilterCriteria": {"Filters": ["x"]}}, r"Filters is \['x'\]: give a list of"),
        (QUEUE, {"FilterCriteria": {"Filters": "x"}}, "Filters is 'x': give a list of"),
        (QUEUE, {"FilterCriteria": ["x"]}, "FilterCriteria is .*: give an object"),
        (QUEUE, {"FilterCriteria": {"Filters": [{}]}}, r"Filters\[0\].Pattern: the pattern is None"),
        (QUEUE, {"FilterCriteria": {"Filters": [{"Pattern": '{"messageId": ["a"]}'}]}}, "by `body` alone"),
        (FIFO, {"BatchSize": 11}, "FIFO queue takes 1 to 10"),
        (FIFO, {"MaximumBatchingWindowInSeconds": 1}, "FIFO queue has no batching window"),
        (STREAM, {"StartingPosition": None}, "StartingPosition is None.*TRIM_HORIZON or LATEST"),
        (STREAM, {"StartingPosition": "AT_TIMESTAMP"}, "TRIM_HORIZON or LATEST"),
        (STREAM, {"MaximumRetryAttempts": -2}, "from -1 to 10000"),
        (STREAM, {"MaximumRetryAttempts": 10_001}, "from -1 to 10000"),
        (STREAM, {"MaximumRecordAgeInSeconds": 0}, "from 60 to 604800, or -1 for ever"),
        (STREAM, {"MaximumRecordAgeInSeconds": 30}, "MaximumRecordAgeInSeconds is 30 .*from 60 to 604800"),
        (STREAM, {"MaximumRecordAgeInSeconds": 604_801}, "from 60 to 604800"),
        (STREAM, {"ParallelizationFactor": 0}, "from 1 to 10"),
        (STREAM, {"ParallelizationFactor": 11}, "from 1 to 10"),
        (STREAM, {"ScalingConfig": {"MaximumConcurrency": 2}}, "queues only"),
        (STREAM, {"TumblingWindowInSeconds": 30}, "no such mode"),
        (STREAM, {"BisectBatchOnFunctionError": "yes"}, r"Error is 'yes' \(str\): give true or false"),
        (STREAM, {"DestinationConfig": {"OnFailure": "queue"}}, "OnFailure is 'queue': give an object"),
        (STREAM, {"FilterCriteria": NUMERIC_OVERFLOW}, "within plus and minus 5,000,000,000"),
        (
            STREAM,
            {"DestinationConfig": {"OnFailure": {"Destination": "arn:aws:s3:::bucket"}}},
            "queue or SNS topic",
        ),
        (
            STREAM,
            {"FilterCriteria": {"Filters": [{"Pattern": "{"}]}},
            r"Filters\[0\].Pattern: .*not valid JSON",
        ),
        (STREAM, {"FilterCriteria": MANY_FILTERS}, "6 filters: a mapping takes up to 5"),
    ],
)
def test_check_limits_setting_out_of_range_is_refused(
    base: dict[str, Any], change: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidMapping, match=message):
        check_limits({**base, **change})


def test_check_limits_knows_every_parameter_of_the_api() -> None:
    service = botocore.session.get_session().get_service_model("lambda")

    parameters = service.operation_model("CreateEventSourceMapping").input_shape.members  # type: ignore[union-attr]  # has one

    assert frozenset(parameters) == PARAMETERS


@pytest.mark.parametrize(
    "description",
    [
        {**QUEUE, "UUID": "u1", "State": "Enabled", "LastProcessingResult": "No records processed"},
        {**QUEUE, "StartingPosition": "TRIM_HORIZON", "FilterCriteria": {}, "FunctionResponseTypes": []},
        {
            **QUEUE,
            "MaximumRetryAttempts": -1,
            "ParallelizationFactor": 1,
            "BisectBatchOnFunctionError": False,
        },
        {**STREAM, "DestinationConfig": {"OnFailure": {}}, "TumblingWindowInSeconds": 0},
        {"EventSourceArn": STREAM_ARN},
    ],
)
def test_check_stored_fields_of_a_description_without_effect_are_left_aside(
    description: dict[str, Any],
) -> None:
    check_stored(description)


@pytest.mark.parametrize(
    ("description", "message"),
    [
        ({}, "EventSourceArn is None"),
        ({**QUEUE, "BatchSize": 0}, "BatchSize is 0"),
        ({**QUEUE, "MaximumRetryAttempts": 0}, "streams only"),
        ({**STREAM, "StartingPosition": "AT_TIMESTAMP"}, "TRIM_HORIZON or LATEST"),
        ({**STREAM, "FilterCriteria": {"Filters": [{"Pattern": "{"}]}}, "not valid JSON"),
    ],
)
def test_check_stored_what_aws_would_have_refused_is_refused(
    description: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidMapping, match=message):
        check_stored(description)
