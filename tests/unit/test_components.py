"""The components in other programs than ours: own code, several queues, other regions, new names, bad values."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
from pulumi_aws import Provider

from components.idempotent_consumer import IdempotentConsumer, IdempotentConsumerArgs
from components.outbox_source import OutboxSource, OutboxSourceArgs
from components.relay import OUTBOX_INSERTS, Relay, RelayArgs
from components.validation import InvalidSettingError
from tests.unit.recording import (
    FUNCTION,
    MAPPING,
    QUEUE,
    ROLE_POLICY,
    TABLE,
    AwsMocks,
    Recording,
    Registration,
    resolve,
    run,
)

STREAM_ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/t/stream/2026-09-05T12:00:00.000"
QUEUE_ARN = "arn:aws:sqs:us-east-1:123456789012:q"


def relay_args(**changes: Any) -> RelayArgs:
    """Args of a relay from a stream to one queue, with some changed."""
    args: dict[str, Any] = {
        "stream_arn": STREAM_ARN,
        "queue_urls": ["https://q.test/q"],
        "queue_arns": [QUEUE_ARN],
    }
    return args | changes  # type: ignore[return-value] # tests hand over wrong values as well


def run_relay(**changes: Any) -> Recording:
    return run(lambda: Relay("orders", relay_args(**changes)))


def run_consumer(**changes: Any) -> Recording:
    args: dict[str, Any] = changes
    return run(lambda: IdempotentConsumer("sales", args))  # type: ignore[arg-type] # wrong values as well


def statements(recording: Recording, name: str) -> dict[str, dict[str, Any]]:
    document = json.loads(recording.one(ROLE_POLICY, f"{name}-policy").inputs["policy"])
    return {statement["Sid"]: statement for statement in document["Statement"]}


def refused(build: Callable[[], object]) -> list[str]:
    """What was registered by a program that had to be refused."""
    names: list[str] = []

    class Watching(AwsMocks):
        def new_resource(self, args: Any) -> tuple[str | None, dict[str, Any]]:
            names.append(args.name)
            return super().new_resource(args)

    # The SDK wraps what a callback raises in a ValueError of its own that repeats the sentence.
    with pytest.raises(ValueError, match=r"; accepted |stream is off|without limit"):
        run(build, Watching())
    return names


def test_relay_to_several_queues_may_send_to_each() -> None:
    urls, arns = ["https://q.test/a", "https://q.test/b"], [f"{QUEUE_ARN}-a", f"{QUEUE_ARN}-b"]

    recording = run_relay(queue_urls=urls, queue_arns=arns)

    environment = recording.one(FUNCTION, "orders-relay-function").inputs["environment"]
    assert environment == {"variables": {"QUEUE_URLS": "https://q.test/a https://q.test/b"}}
    assert statements(recording, "orders-relay")["ForwardOutbox"]["Resource"] == arns


def test_own_code_and_handler_are_zipped_with_the_library(tmp_path: Path) -> None:
    (tmp_path / "payments.py").write_text("def handle(event, context): ...\n", encoding="utf-8")
    args: OutboxSourceArgs = {"code": str(tmp_path), "handler": "payments.handle"}

    recording = run(lambda: OutboxSource("payments", args))

    function = recording.one(FUNCTION, "payments-command-function").inputs
    names = set(function["code"].assets)
    assert function["handler"] == "payments.handle"
    assert "payments.py" in names
    assert not {"command.py", "orders.py"} & names
    assert any(name.startswith("outbox/") for name in names)


def test_own_handler_that_is_not_in_the_code_is_refused_before_any_resource(tmp_path: Path) -> None:
    (tmp_path / "payments.py").write_text("", encoding="utf-8")

    registered = refused(lambda: OutboxSource("payments", {"code": str(tmp_path)}))

    assert registered == []


def test_function_settings_reach_the_function() -> None:
    recording = run_consumer(
        function_timeout_seconds=30.0,
        function_memory_megabytes=512.0,
        log_retention_days=30.0,
        reserved_concurrency=5.0,
        visibility_timeout_seconds=180.0,
    )

    function = recording.one(FUNCTION, "sales-consumer-function").inputs
    assert (function["timeout"], function["memorySize"]) == (30, 512)
    assert function["reservedConcurrentExecutions"] == 5


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
def test_reserved_concurrency_that_stops_the_function_is_refused(value: object) -> None:
    with pytest.raises(InvalidSettingError, match="reserved_concurrency is"):
        run_consumer(reserved_concurrency=value)


def test_fault_setting_exists_only_when_asked_for() -> None:
    without = run_consumer(fault_after_commit="").one(FUNCTION, "sales-consumer-function")
    with_fault = run_consumer(fault_after_commit="order-b").one(FUNCTION, "sales-consumer-function")

    table = {"PROJECTION_TABLE": "sales-projection-1a2b3c4"}
    assert without.inputs["environment"]["variables"] == table
    assert with_fault.inputs["environment"]["variables"] == table | {"FAULT_AFTER_COMMIT": "order-b"}


def test_two_instances_of_each_component_do_not_collide() -> None:
    def program() -> None:
        for name in ("orders", "payments"):
            OutboxSource(name, {})
            Relay(name, relay_args())
            IdempotentConsumer(name, {})

    recording = run(program)

    names = [registration.name for registration in recording.custom]
    assert len(names) == 36
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("given", "expected"), [(None, (100, 3600)), (0, (0, 3600))])
def test_b4_retries_reach_the_mapping_as_given(given: int | None, expected: tuple[int, int]) -> None:
    mapping = run_relay(stream_maximum_retries=given).one(MAPPING, "orders-relay-mapping").inputs

    assert (mapping["maximumRetryAttempts"], mapping["maximumRecordAgeInSeconds"]) == expected


def test_b4_unlimited_reaches_the_mapping_only_on_request() -> None:
    unlimited = {"stream_maximum_retries": -1, "stream_maximum_record_age_seconds": -1}

    mapping = run_relay(**unlimited, allow_unlimited_retries=True).one(MAPPING, "orders-relay-mapping").inputs
    registered = refused(lambda: Relay("orders", relay_args(**unlimited)))

    assert (mapping["maximumRetryAttempts"], mapping["maximumRecordAgeInSeconds"]) == (-1, -1)
    assert registered == []


@pytest.mark.parametrize("age", [30, 59, 604_801])
def test_b4_age_out_of_range_is_refused_before_any_resource(age: int) -> None:
    assert refused(lambda: Relay("orders", relay_args(stream_maximum_record_age_seconds=age))) == []


def test_b5_records_given_up_go_to_the_failure_queue() -> None:
    recording = run_relay(failure_queue=True)

    queue = recording.one(QUEUE, "orders-relay-failures")
    mapping = recording.one(MAPPING, "orders-relay-mapping")
    assert queue.inputs["messageRetentionSeconds"] == 14 * 86400
    assert mapping.inputs["destinationConfig"]["onFailure"]["destinationArn"].endswith(
        ":orders-relay-failures-1a2b3c4"
    )
    assert mapping.property_dependencies["destinationConfig"] == {queue.urn}


def test_b6_failure_queue_adds_one_right_and_no_more() -> None:
    without = statements(run_relay(), "orders-relay")
    with_queue = statements(run_relay(failure_queue=True), "orders-relay")

    report = with_queue.pop("ReportFailedRecords")
    assert report == {
        "Sid": "ReportFailedRecords",
        "Effect": "Allow",
        "Action": ["sqs:SendMessage"],
        "Resource": "arn:aws:sqs:us-east-1:123456789012:orders-relay-failures-1a2b3c4",
    }
    assert with_queue == without


def matches(pattern: Any, event: Any) -> bool:
    """Lambda's filter rule for exact values: every key must be there, with one of the listed values."""
    if isinstance(pattern, list):
        return event in pattern
    return isinstance(event, dict) and all(
        key in event and matches(inner, event[key]) for key, inner in pattern.items()
    )


def stream_record(name: str, kind: str | None) -> dict[str, Any]:
    image = {} if kind is None else {"NewImage": {"PK": {"S": "x"}, "kind": {"S": kind}}}
    return {"eventName": name, "dynamodb": {"SequenceNumber": "1", **image}}


@pytest.mark.parametrize(
    ("record", "passes"),
    [
        (stream_record("INSERT", "OUTBOX"), True),
        (stream_record("MODIFY", "OUTBOX"), False),
        (stream_record("REMOVE", None), False),
        (stream_record("INSERT", "ORDER"), False),
    ],
)
def test_b10_only_inserted_outbox_rows_pass_the_filter(record: dict[str, Any], passes: bool) -> None:
    mapping = run_relay().one(MAPPING, "orders-relay-mapping").inputs

    (entry,) = mapping["filterCriteria"]["filters"]
    assert matches(json.loads(entry["pattern"]), record) is passes


def test_b10_every_leaf_of_the_filter_is_a_list_of_values() -> None:
    def leaves(value: Any) -> list[Any]:
        return (
            [leaf for inner in value.values() for leaf in leaves(inner)]
            if isinstance(value, dict)
            else [value]
        )

    assert leaves(json.loads(OUTBOX_INSERTS)) == [["INSERT"], ["OUTBOX"]]


def names_before(recording: Recording) -> set[tuple[str, str]]:
    """Types and names under which the engine looks for existing resources, by its rule for an aliased parent:
    a child that is named after its parent was named after the parent's old name.
    https://www.pulumi.com/docs/iac/concepts/resources/options/aliases/"""
    by_urn = {registration.urn: registration for registration in recording.registrations}

    def before(item: Registration) -> str:
        if item.parent not in by_urn:
            (alias,) = item.alias_names
            return alias
        parent = by_urn[item.parent]
        return (
            before(parent) + item.name.removeprefix(parent.name)
            if item.name.startswith(parent.name)
            else item.name
        )

    return {(registration.type, before(registration)) for registration in recording.registrations}


def test_b12_renamed_relay_with_an_alias_replaces_nothing() -> None:
    renamed = pulumi.ResourceOptions(aliases=[pulumi.Alias(name="orders")])

    before = run(lambda: Relay("orders", relay_args(failure_queue=True)))
    after = run(lambda: Relay("shipments", relay_args(failure_queue=True), renamed))

    assert len(before.registrations) == 8
    assert names_before(after) == {
        (registration.type, registration.name) for registration in before.registrations
    }


def test_b12_replaced_mappings_are_deleted_before_they_are_created() -> None:
    mappings = [*run_relay().of_type(MAPPING), *run_consumer().of_type(MAPPING)]

    assert [mapping.delete_before_replace for mapping in mappings] == [True, True]


@pytest.mark.parametrize(
    "stream",
    [{"stream_arn": ""}, {"stream_arn": None}, {"stream_view_type": "KEYS_ONLY"}, {"stream_arn": QUEUE_ARN}],
)
def test_b13_relay_on_a_bad_stream_is_refused_before_any_resource(stream: dict[str, Any]) -> None:
    assert refused(lambda: Relay("orders", relay_args(**stream))) == []


@pytest.mark.parametrize("stream", [{"stream_arn": ""}, {"stream_view_type": "KEYS_ONLY"}])
def test_b13_relay_on_a_stream_found_bad_later_stops_before_its_grant_and_mapping(
    stream: dict[str, Any],
) -> None:
    outputs = {"stream_arn": STREAM_ARN, "stream_view_type": "NEW_IMAGE"} | stream

    registered = refused(
        lambda: Relay(
            "orders", relay_args(**{key: pulumi.Output.from_input(value) for key, value in outputs.items()})
        )
    )

    assert not {"orders-relay-policy", "orders-relay-function", "orders-relay-mapping"} & set(registered)


def test_b13_source_streams_new_images() -> None:
    table = run(lambda: OutboxSource("orders", {})).one(TABLE, "orders-source").inputs

    assert (table["streamEnabled"], table["streamViewType"]) == (True, "NEW_IMAGE")


BAD_CONSUMERS: list[IdempotentConsumerArgs] = [
    {"function_timeout_seconds": 30, "queue_batch_window_seconds": 20, "visibility_timeout_seconds": 60},
    {"maximum_receives": 1},
    {"reserved_concurrency": 3, "queue_maximum_concurrency": 10},
    {"queue_maximum_concurrency": 1},
    {"queue_batch_size": 11},
    {"queue_batch_size": 10_001, "queue_batch_window_seconds": 1, "visibility_timeout_seconds": 61},
    {"queue_batch_window_seconds": 301, "visibility_timeout_seconds": 400},
    {"queue_retention_seconds": 4 * 86400, "dead_letter_retention_seconds": 4 * 86400},
    {"queue_retention_seconds": 14 * 86400, "dead_letter_retention_seconds": 14 * 86400},
]


@pytest.mark.parametrize("args", BAD_CONSUMERS, ids=["c4", "c5", "c5", "c6", "c6", "c6", "c6", "c7", "c7"])
def test_consumer_that_cannot_work_is_refused_before_any_resource(args: IdempotentConsumerArgs) -> None:
    assert refused(lambda: IdempotentConsumer("sales", args)) == []


def test_c6_large_batch_with_a_window_is_accepted() -> None:
    recording = run_consumer(queue_batch_size=11, queue_batch_window_seconds=1, visibility_timeout_seconds=61)

    assert recording.one(MAPPING, "sales-consumer-mapping").inputs["batchSize"] == 11


def test_f4_output_that_stays_unknown_fails_the_test_that_reads_it() -> None:
    def table_arn() -> pulumi.Output[str]:
        return OutboxSource("orders", {}).table_arn

    known = resolve(table_arn)
    with pytest.raises(AssertionError, match="the output is not known"):
        resolve(table_arn, AwsMocks(preview=True))

    assert known.endswith(":table/orders-source-1a2b3c4")


def test_f4_failure_inside_a_callback_fails_the_run() -> None:
    def fail(_: str) -> str:
        raise AssertionError("raised inside a callback")

    with pytest.raises(AssertionError, match="raised inside a callback"):
        run(lambda: OutboxSource("orders", {}).table_arn.apply(fail))


def test_f4_lookup_fails_the_run() -> None:
    with pytest.raises(Exception, match="The program looked something up: aws:index/getRegion"):
        run(
            lambda: pulumi.Output.from_input(pulumi.runtime.invoke("aws:index/getRegion:getRegion", {}).value)
        )


def test_f9_provider_reaches_every_child_and_the_region_follows_it() -> None:
    def program() -> None:
        elsewhere = pulumi.ResourceOptions(providers=[Provider("mumbai", region="ap-south-1")])
        source = OutboxSource("orders", {}, elsewhere)
        consumer = IdempotentConsumer("sales", {}, elsewhere)
        args = relay_args(
            stream_arn=source.stream_arn, queue_urls=[consumer.queue_url], queue_arns=[consumer.queue_arn]
        )
        Relay("orders", args, elsewhere)

    recording = run(program, AwsMocks(region="us-east-1"))

    assert len(recording.custom) == 18
    assert {item.provider.rpartition("::")[2] for item in recording.custom} == {"mumbai-id"}
    condition = statements(recording, "orders-relay")["DiscoverStreams"]["Condition"]
    assert condition == {"StringEquals": {"aws:RequestedRegion": "ap-south-1"}}
    assert "us-east-1" not in "".join(item.inputs["policy"] for item in recording.of_type(ROLE_POLICY))
