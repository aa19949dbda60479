"""All components in other programs than ours: own code, several instances, other regions."""

from pathlib import Path

import pulumi
from pulumi_aws import Provider

from components.idempotent_consumer import IdempotentConsumer
from components.outbox_source import OutboxSource, OutboxSourceArgs
from components.relay import Relay
from tests.unit.aws_mocks import FUNCTION, MAPPING, ROLE_POLICY, TABLE, AwsMocks
from tests.unit.builders import relay_args, run_consumer, run_relay
from tests.unit.recording import refused, run, statements


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


def test_two_instances_of_each_component_do_not_collide() -> None:
    def program() -> None:
        for name in ("orders", "payments"):
            OutboxSource(name, {})
            Relay(name, relay_args())
            IdempotentConsumer(name, {})

    recording = run(program)

    names = [registration.name for registration in recording.custom]
    assert len(names) == 38
    assert len(set(names)) == len(names)


def test_b12_replaced_mappings_are_deleted_before_they_are_created() -> None:
    mappings = [*run_relay().of_type(MAPPING), *run_consumer().of_type(MAPPING)]

    assert [mapping.delete_before_replace for mapping in mappings] == [True, True]


def test_b13_source_streams_new_images() -> None:
    table = run(lambda: OutboxSource("orders", {})).one(TABLE, "orders-source").inputs

    assert (table["streamEnabled"], table["streamViewType"]) == (True, "NEW_IMAGE")


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

    assert len(recording.custom) == 19
    assert {item.provider.rpartition("::")[2] for item in recording.custom} == {"mumbai-id"}
    condition = statements(recording, "orders-relay")["DiscoverStreams"]["Condition"]
    assert condition == {"StringEquals": {"aws:RequestedRegion": "ap-south-1"}}
    assert "us-east-1" not in "".join(item.inputs["policy"] for item in recording.of_type(ROLE_POLICY))
