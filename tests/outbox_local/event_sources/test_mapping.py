from outbox_local.event_sources import Mapping
from tests.outbox_local.event_sources.fakes import DESTINATION_ARN, FUNCTION_ARN, QUEUE_ARN, STREAM_ARN

STORED = {"UUID": "u1", "EventSourceArn": STREAM_ARN, "FunctionArn": FUNCTION_ARN, "State": "Enabled"}


def test_mapping_of_a_stream_is_parsed_with_every_setting() -> None:
    description = STORED | {
        "BatchSize": 7,
        "MaximumBatchingWindowInSeconds": 3,
        "FilterCriteria": {"Filters": [{"Pattern": '{"eventName": ["INSERT"]}'}]},
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "StartingPosition": "LATEST",
        "ParallelizationFactor": 4,
        "MaximumRetryAttempts": 0,
        "MaximumRecordAgeInSeconds": 3600,
        "BisectBatchOnFunctionError": True,
        "DestinationConfig": {"OnFailure": {"Destination": DESTINATION_ARN}},
    }

    mapping = Mapping.parse(description)

    assert mapping == Mapping(
        uuid="u1",
        source_arn=STREAM_ARN,
        function_arn=FUNCTION_ARN,
        enabled=True,
        batch_size=7,
        window_seconds=3,
        filters=('{"eventName": ["INSERT"]}',),
        reports_failures=True,
        starting_position="LATEST",
        parallelization=4,
        retries=0,
        record_age_seconds=3600,
        bisects=True,
        destination_arn=DESTINATION_ARN,
    )
    assert (mapping.kind, mapping.region) == ("stream", "eu-central-1")


def test_mapping_retries_and_age_of_minus_one_mean_for_ever() -> None:
    description = STORED | {"MaximumRetryAttempts": -1, "MaximumRecordAgeInSeconds": -1, "State": "Disabled"}

    mapping = Mapping.parse(description)

    assert (mapping.retries, mapping.record_age_seconds, mapping.enabled) == (None, None, False)


def test_mapping_of_a_queue_has_the_documented_default_batch_size() -> None:
    description = STORED | {"EventSourceArn": QUEUE_ARN, "ScalingConfig": {"MaximumConcurrency": 2}}

    mapping = Mapping.parse(description)

    assert (mapping.kind, mapping.batch_size, mapping.maximum_concurrency) == ("queue", 10, 2)


def test_mapping_accelerated_divides_window_and_age_alone() -> None:
    mapping = Mapping(
        "u1", STREAM_ARN, FUNCTION_ARN, True, 1, window_seconds=10, record_age_seconds=3600, retries=100
    )

    faster = mapping.accelerated(10)

    assert (faster.window_seconds, faster.record_age_seconds, faster.retries) == (1, 360, 100)
