"""The stack's settings: one table of keys, and a sentence for each mistake before any resource exists."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import pulumi
import pytest
import yaml

import orders
from components.settings import (
    ORDER_ID_OR_NONE,
    ConfigurationError,
    Settings,
    config_key,
    parse_settings,
    read_settings,
)
from outbox.transaction import MAXIMUM_ACTIONS
from tests.unit.aws_mocks import AwsMocks
from tests.unit.recording import PROJECT, Recording, run
from tests.unit.root_program import ROOT, run_root, stack_config

TYPES = {bool: "boolean", int: "integer", str: "string"}


def parse(**values: str) -> Settings:
    return parse_settings(PROJECT, values)


def test_pulumi_yaml_declares_the_same_keys_types_and_defaults() -> None:
    declared = yaml.safe_load((ROOT / "Pulumi.yaml").read_text(encoding="utf-8"))["config"]

    fields = dataclasses.fields(Settings)
    assert {key: (entry["type"], entry["default"]) for key, entry in declared.items()} == {
        config_key(field.name): (TYPES[field.type], field.default)  # type: ignore[index] # real types, not their names
        for field in fields
    }
    assert all(entry["description"] for entry in declared.values())
    assert list(declared) == [config_key(field.name) for field in fields]


def test_pulumi_yaml_names_the_runtime_that_make_sets_up() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text(encoding="utf-8"))

    assert project["name"] == PROJECT
    assert project["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}


def test_dev_stack_writes_out_every_default_but_the_fault() -> None:
    own = {
        key.partition(":")[2]: text
        for key, text in stack_config("dev").items()
        if key.startswith(f"{PROJECT}:")
    }

    assert parse_settings(PROJECT, own) == Settings()
    assert own.keys() == {config_key(field.name) for field in dataclasses.fields(Settings)} - {
        "faultAfterCommit"
    }


def test_prod_stack_is_accepted_and_differs_only_where_it_says_so() -> None:
    own = {key.partition(":")[2]: text for key, text in stack_config("prod").items()}

    settings = dataclasses.asdict(parse_settings(PROJECT, own))

    defaults = dataclasses.asdict(Settings())
    assert {config_key(name) for name, value in settings.items() if value != defaults[name]} == set(own)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("queueBatchWindowSeconds", "2"),
        ("functionTimeoutSeconds", "11"),
        ("visibilityTimeoutSeconds", "60"),
        ("consumerReservedConcurrency", "9"),
        ("queueMaximumConcurrency", "11"),
        ("queueRetentionSeconds", "1209600"),
        ("queueRetentionSeconds", "600"),
        ("alarmMessageAgeSeconds", "345600"),
        ("alarmStreamAgeSeconds", "86400"),
        ("streamMaximumRecordAgeSeconds", "600"),
    ],
)
def test_prod_stack_with_one_value_changed_alone_breaks_a_relation(key: str, value: str) -> None:
    own = {key.partition(":")[2]: text for key, text in stack_config("prod").items()}

    with pytest.raises(ConfigurationError, match="; accepted is "):
        parse_settings(PROJECT, own | {key: value})


def test_prod_batch_of_messages_fits_one_transaction_with_its_total() -> None:
    settings = parse_settings(PROJECT, {key.partition(":")[2]: v for key, v in stack_config("prod").items()})

    assert settings.queue_batch_size + 1 == MAXIMUM_ACTIONS


def test_prod_stack_leaves_its_region_to_the_user() -> None:
    assert not any(key.startswith("aws:") for key in stack_config("prod"))


def test_values_arrive_as_texts_and_become_their_types() -> None:
    settings = parse(streamMaximumRetries="0", protectTables="true", faultAfterCommit="order-b")

    assert settings.stream_maximum_retries == 0
    assert settings.protect_tables is True
    assert settings.fault_after_commit == "order-b"


MISTAKES: list[tuple[Mapping[str, str], str]] = [
    (
        {"visibilityTimeout": "60"},
        f"has {PROJECT}:visibilityTimeout, which is no setting; accepted are aggregateShards, alarm",
    ),
    ({"streamBatchSize": "many"}, "streamBatchSize is 'many'; accepted is a whole number"),
    ({"streamBatchSize": "1.0"}, "streamBatchSize is '1.0'; accepted is a whole number"),
    ({"streamBatchSize": "\u0661"}, "streamBatchSize is '\u0661'; accepted is a whole number"),
    ({"streamBatchSize": ""}, "streamBatchSize is ''; accepted is a whole number"),
    ({"protectTables": "yes"}, "protectTables is 'yes'; accepted is true or false"),
    ({"streamBatchSize": "10001"}, "streamBatchSize is 10001; accepted are 1 to 10000"),
    ({"logRetentionDays": "2"}, "logRetentionDays is 2; accepted are 1, 3, 5, 7"),
    ({"streamMaximumRetries": "-1"}, "streamMaximumRetries is -1, .* or set allowUnlimitedRetries"),
    (
        {"functionTimeoutSeconds": "30"},
        r"visibilityTimeoutSeconds is 60; accepted is 180 or more: 6 x functionTimeout",
    ),
    (
        {"queueRetentionSeconds": "345600"},
        "deadLetterRetentionSeconds is 345600; accepted is more than queueRetention",
    ),
    (
        {"reconcilerMarginSeconds": "86400", "reconcilerHorizonSeconds": "86400"},
        "reconcilerHorizonSeconds is 86400; accepted is 172800 or more: 2 x reconcilerMarginSeconds",
    ),
    ({"reconcilerMemoryMegabytes": "64"}, "reconcilerMemoryMegabytes is 64; accepted are 128 to 10240"),
    ({"queueBatchSize": "11"}, "queueBatchSize is 11 and queueBatchWindowSeconds is 0; accepted above 10"),
    ({"queueMaximumConcurrency": "1"}, "queueMaximumConcurrency is 1; accepted are 2 to 1000"),
    ({"maximumReceives": "1"}, "maximumReceives is 1; accepted are 5 to 1000"),
    ({"aggregateShards": "0"}, "aggregateShards is 0; accepted are 1 to 1000"),
    ({"architecture": "arm"}, "architecture is 'arm'; accepted are x86_64, arm64"),
    ({"logFormat": "json"}, "logFormat is 'json'; accepted are Text, JSON"),
    ({"dependencies": ""}, "dependencies is ''; accepted are runtime, bundled"),
    *(
        ({key: "0"}, f"{key} is 0; accepted is 1 or more, or -1 to share .* 0 would stop the function")
        for key in ("commandReservedConcurrency", "relayReservedConcurrency", "consumerReservedConcurrency")
    ),
    ({"relayReservedConcurrency": "-2"}, "relayReservedConcurrency is -2; accepted is 1 or more"),
    ({"alarmTopicArns": "on-call"}, "alarmTopicArns has 'on-call'; accepted are ARNs of SNS topics"),
    ({"runbookUrl": "docs/runbook.md#top"}, "runbookUrl is 'docs/runbook.md#top'; accepted is an address"),
    ({"alarmStreamAgeSeconds": "86401"}, "alarmStreamAgeSeconds is 86401; accepted are 60 to 86400"),
    ({"alarmDeadLetters": "0"}, "alarmDeadLetters is 0; accepted are 1 to 120000"),
    (
        {"monitoring": "true", "streamMaximumRecordAgeSeconds": "600"},
        "alarmStreamAgeSeconds is 600; accepted is less than streamMaximumRecordAgeSeconds",
    ),
    (
        {"consumerReservedConcurrency": "3", "queueMaximumConcurrency": "10"},
        "queueMaximumConcurrency is 10; accepted is at most the 3 that the consumer has reserved",
    ),
]


@pytest.mark.parametrize(("values", "sentence"), MISTAKES)
def test_mistake_is_one_sentence_with_key_value_and_rule(values: Mapping[str, str], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        parse_settings(PROJECT, values)


@pytest.mark.parametrize("values", [values for values, _ in MISTAKES])
def test_mistake_stops_the_program_before_any_resource(
    values: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    registered = watch_registrations(monkeypatch)

    with pytest.raises(ConfigurationError):
        run_root("dev", changes=values)

    assert registered == []


def watch_registrations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of what is registered, also by a run that fails."""
    names: list[str] = []
    answer = AwsMocks.new_resource

    def watched(self: AwsMocks, args: Any) -> Any:
        names.append(args.name)
        return answer(self, args)

    monkeypatch.setattr(AwsMocks, "new_resource", watched)
    return names


def test_watching_registrations_sees_those_of_a_good_program(monkeypatch: pytest.MonkeyPatch) -> None:
    registered = watch_registrations(monkeypatch)

    run_root("dev")

    assert "orders-source" in registered


def test_both_limits_can_be_lifted_on_request() -> None:
    settings = parse(
        allowUnlimitedRetries="true", streamMaximumRetries="-1", streamMaximumRecordAgeSeconds="-1"
    )

    assert (settings.stream_maximum_retries, settings.stream_maximum_record_age_seconds) == (-1, -1)


def test_alarm_without_end_of_record_age_is_always_in_time() -> None:
    settings = parse(monitoring="true", allowUnlimitedRetries="true", streamMaximumRecordAgeSeconds="-1")

    assert settings.monitoring


def test_thresholds_of_alarms_that_are_off_bind_nothing() -> None:
    settings = parse(streamMaximumRecordAgeSeconds="60", queueRetentionSeconds="60")

    assert not settings.monitoring


def read_under(config: Mapping[str, str], project: str = PROJECT) -> Settings:
    found: list[Settings] = []

    def program() -> Recording | None:
        found.append(read_settings())
        return None

    run(program, config=config, project=project)
    return found[0]


def test_keys_of_other_namespaces_are_left_alone() -> None:
    settings = read_under(
        {"aws:region": "eu-central-1", "aws:visibilityTimeout": "1", f"{PROJECT}:streamBatchSize": "7"}
    )

    assert settings == Settings(stream_batch_size=7)


def test_settings_are_read_from_the_namespace_of_the_running_project() -> None:
    settings = read_under({"payments:streamBatchSize": "9"}, project="payments")

    assert settings.stream_batch_size == 9


def test_misspelt_namespace_is_refused_before_it_loses_a_protection() -> None:
    with pytest.raises(
        ConfigurationError, match=r"transactional-outbx:protectTables, which nothing here reads"
    ):
        read_under({"transactional-outbx:protectTables": "true"})


def test_configuration_of_provider_and_engine_is_left_to_them() -> None:
    settings = read_under({"aws:region": "eu-central-1", "pulumi:tags": "{}"})

    assert settings == Settings()


@pytest.mark.parametrize("order_id", ["ORDER X", "a" * 41, "order-b\n", "null value"])
def test_fault_for_an_order_that_cannot_exist_is_refused(order_id: str) -> None:
    with pytest.raises(ConfigurationError, match=r"faultAfterCommit is .*; accepted is an order id"):
        read_under({f"{PROJECT}:faultAfterCommit": order_id})


def test_fault_names_an_order_as_the_handlers_do() -> None:
    assert ORDER_ID_OR_NONE.pattern == orders.ORDER_ID_PATTERN.replace("{1,", "{0,")


def test_misspelt_key_handed_over_in_the_environment_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", f'{{"{PROJECT}:streamBatchSzie": "7"}}')

    with pytest.raises(ConfigurationError, match="streamBatchSzie, which is no setting"):
        read_under({})


def test_configuration_error_is_shown_without_a_traceback() -> None:
    assert issubclass(ConfigurationError, pulumi.RunError)
