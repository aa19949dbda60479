"""The consumer: what reaches its queue, mapping and function, and what is refused."""

import pytest

from components.idempotent_consumer import IdempotentConsumer, IdempotentConsumerArgs
from components.validation import InvalidSettingError
from tests.unit.aws_mocks import FUNCTION, LOG_GROUP, MAPPING, QUEUE
from tests.unit.builders import run_consumer
from tests.unit.recording import refused


def test_function_settings_reach_the_function() -> None:
    recording = run_consumer(
        function_timeout_seconds=30.0,
        function_memory_megabytes=512.0,
        log_retention_days=30.0,
        reserved_concurrency=5.0,
        queue_maximum_concurrency=5.0,
    )

    function = recording.one(FUNCTION, "sales-consumer-function").inputs
    assert (function["timeout"], function["memorySize"]) == (30, 512)
    assert function["reservedConcurrentExecutions"] == 5
    assert recording.one(LOG_GROUP, "sales-consumer-logs").inputs["retentionInDays"] == 30


@pytest.mark.parametrize("value", [None, -1, -1.0])
def test_concurrency_that_is_not_reserved_is_left_out(value: object) -> None:
    function = run_consumer(reserved_concurrency=value).one(FUNCTION, "sales-consumer-function")

    assert "reservedConcurrentExecutions" not in function.inputs


@pytest.mark.parametrize("value", [0, -2, 1.5, True, "3"])
def test_reserved_concurrency_that_stops_the_function_is_refused(value: object) -> None:
    with pytest.raises(InvalidSettingError, match="reserved_concurrency must be"):
        run_consumer(reserved_concurrency=value)


@pytest.mark.parametrize(("shards", "expected"), [(None, {}), (1, {}), (20.0, {"AGGREGATE_SHARDS": "20"})])
def test_shards_reach_the_function_only_when_there_are_several(
    shards: object, expected: dict[str, str]
) -> None:
    function = run_consumer(aggregate_shards=shards).one(FUNCTION, "sales-consumer-function")

    table = {"PROJECTION_TABLE": "sales-projection-1a2b3c4"}
    assert function.inputs["environment"]["variables"] == table | expected


def test_architecture_and_log_format_reach_the_function() -> None:
    function = run_consumer(architecture="arm64", log_format="JSON").one(FUNCTION, "sales-consumer-function")

    assert function.inputs["architectures"] == ["arm64"]
    assert function.inputs["loggingConfig"] == {
        "logFormat": "JSON",
        "logGroup": "sales-consumer-logs-1a2b3c4",
    }


def test_fault_setting_exists_only_when_asked_for() -> None:
    without = run_consumer(fault_after_commit="").one(FUNCTION, "sales-consumer-function")
    with_fault = run_consumer(fault_after_commit="order-b").one(FUNCTION, "sales-consumer-function")

    table = {"PROJECTION_TABLE": "sales-projection-1a2b3c4"}
    assert without.inputs["environment"]["variables"] == table
    assert with_fault.inputs["environment"]["variables"] == table | {"FAULT_AFTER_COMMIT": "order-b"}


BAD_CONSUMERS: list[IdempotentConsumerArgs] = [
    {"function_timeout_seconds": 30, "queue_batch_window_seconds": 20, "visibility_timeout_seconds": 60},
    {"maximum_receives": 1},
    {"architecture": "arm"},
    {"log_format": "text"},
    {"dependencies": "pinned"},
    {"aggregate_shards": 1001},
    {"reserved_concurrency": 3, "queue_maximum_concurrency": 10},
    {"queue_maximum_concurrency": 1},
    {"queue_batch_size": 11, "queue_batch_window_seconds": 0},
    {"queue_batch_size": 10_001, "queue_batch_window_seconds": 1, "visibility_timeout_seconds": 61},
    {"queue_batch_window_seconds": 301, "visibility_timeout_seconds": 400},
    {"queue_retention_seconds": 4 * 86400, "dead_letter_retention_seconds": 4 * 86400},
    {"queue_retention_seconds": 14 * 86400, "dead_letter_retention_seconds": 14 * 86400},
]


@pytest.mark.parametrize("args", BAD_CONSUMERS, ids="-".join)
def test_consumer_that_cannot_work_is_refused_before_any_resource(args: IdempotentConsumerArgs) -> None:
    assert refused(lambda: IdempotentConsumer("sales", args)) == []


def test_consumer_without_settings_gets_batches_and_the_least_safe_visibility() -> None:
    recording = run_consumer()

    mapping = recording.one(MAPPING, "sales-consumer-mapping").inputs
    assert (mapping["batchSize"], mapping["maximumBatchingWindowInSeconds"]) == (99, 1)
    assert recording.one(QUEUE, "sales-queue").inputs["visibilityTimeoutSeconds"] == 6 * 10 + 1
