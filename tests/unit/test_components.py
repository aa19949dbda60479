"""All components in other programs than ours: own code, several instances, other regions."""

from pathlib import Path

import pulumi
from pulumi_aws import Provider

from components import IdempotentConsumer, Monitoring, OutboxSource, Relay
from outbox.bodies import MAXIMUM_BODY_BYTES
from tests.unit.aws_mocks import DASHBOARD, FUNCTION, MAPPING, QUEUE, ROLE_POLICY, AwsMocks
from tests.unit.builders import COMPLETE, run_consumer, run_relay, run_source
from tests.unit.recording import run, statements


def test_own_code_and_handler_are_zipped_with_the_library(tmp_path: Path) -> None:
    (tmp_path / "payments.py").write_text("def handle(event, context): ...\n", encoding="utf-8")

    recording = run_source(code=str(tmp_path), handler="payments.handle")

    function = recording.one(FUNCTION, "orders-command-function").inputs
    names = set(function["code"].assets)
    assert function["handler"] == "payments.handle"
    assert "payments.py" in names
    assert not {"command.py", "orders.py"} & names
    assert any(name.startswith("outbox/") for name in names)


def test_two_instances_of_each_component_do_not_collide() -> None:
    def program() -> None:
        for name in ("orders", "payments"):
            OutboxSource(name, {})
            Relay(name, COMPLETE["Relay"])
            IdempotentConsumer(name, {})

    recording = run(program)

    names = [registration.name for registration in recording.custom]
    assert len(names) == 38
    assert len(set(names)) == len(names)


def test_replaced_mapping_is_deleted_before_it_is_created() -> None:
    mappings = [*run_relay().of_type(MAPPING), *run_consumer().of_type(MAPPING)]

    assert [mapping.delete_before_replace for mapping in mappings] == [True, True]


def test_queue_takes_every_body_that_the_command_stores() -> None:
    sizes = {queue.inputs["maxMessageSize"] for queue in run_consumer().of_type(QUEUE)}

    assert sizes == {MAXIMUM_BODY_BYTES}


def test_consumer_without_settings_gets_batches_and_the_least_safe_visibility() -> None:
    recording = run_consumer()

    mapping = recording.one(MAPPING, "sales-consumer-mapping").inputs
    assert (mapping["batchSize"], mapping["maximumBatchingWindowInSeconds"]) == (99, 1)
    assert recording.one(QUEUE, "sales-queue").inputs["visibilityTimeoutSeconds"] == 6 * 10 + 1


def test_numbers_of_the_plugin_protocol_become_whole() -> None:
    recording = run_consumer(aggregate_shards=20.0, function_timeout_seconds=30.0)

    function = recording.one(FUNCTION, "sales-consumer-function").inputs
    assert function["environment"]["variables"]["AGGREGATE_SHARDS"] == "20"
    assert recording.one(QUEUE, "sales-queue").inputs["visibilityTimeoutSeconds"] == 6 * 30 + 1


def test_provider_reaches_every_child_and_the_region_follows_it() -> None:
    def program() -> None:
        elsewhere = pulumi.ResourceOptions(providers=[Provider("mumbai", region="ap-south-1")])
        source = OutboxSource("orders", {}, elsewhere)
        consumer = IdempotentConsumer("sales", {}, elsewhere)
        Relay(
            "orders",
            {
                "stream_arn": source.stream_arn,
                "queues": [consumer.queue],
            },
            elsewhere,
        )
        Monitoring("all", {"queue_name": consumer.queue_name}, elsewhere)

    recording = run(program, AwsMocks(region="us-east-1"))

    assert len(recording.custom) == 21
    assert {item.provider.rpartition("::")[2] for item in recording.custom} == {"mumbai-id"}
    condition = statements(recording, "orders-relay")["DiscoverStreams"]["Condition"]
    assert condition == {"StringEquals": {"aws:RequestedRegion": "ap-south-1"}}
    [dashboard] = recording.of_type(DASHBOARD)
    texts = [
        dashboard.inputs["dashboardBody"],
        *(item.inputs["policy"] for item in recording.of_type(ROLE_POLICY)),
    ]
    assert "us-east-1" not in "".join(texts)
    assert "ap-south-1" in texts[0]
