"""The stack's settings: one table of keys, and a sentence for each mistake before any resource exists."""

from collections.abc import Mapping
from typing import Any

import pulumi
import pytest

import orders
from components import limits
from components.arguments import settings_of
from components.settings import (
    COMPONENTS,
    ConfigurationError,
    Settings,
    parse_settings,
    read_settings,
)
from tests.unit.aws_mocks import AwsMocks
from tests.unit.recording import PROJECT, Recording, run
from tests.unit.root_program import run_root, values_of


def parse(**values: str) -> Settings:
    return parse_settings(PROJECT, values)


def test_every_row_is_a_setting_of_a_component() -> None:
    assert limits.ROWS.keys() == {name for each, _ in COMPONENTS.values() for name in settings_of(each)}


def test_values_arrive_as_texts_and_become_their_types() -> None:
    settings = parse(streamMaximumRetries="0", protectTables="true", faultAfterCommit="order-b")

    assert vars(settings) == {
        "source": {"protect_tables": True},
        "relay": {"stream_maximum_retries": 0},
        "consumer": {"protect_tables": True, "fault_after_commit": "order-b"},
        "reconciler": None,
        "monitoring": None,
    }


def test_group_sets_one_component_and_wins_over_the_key_of_all() -> None:
    settings = parse(functionTimeoutSeconds="20", consumer='{"functionTimeoutSeconds": 30}')

    seconds = {name: args["function_timeout_seconds"] for name, args in vars(settings).items() if args}
    assert seconds == {"source": 20, "relay": 20, "consumer": 30}


@pytest.mark.parametrize(
    ("text", "expected"), [(None, False), ("false", False), ("true", True), ("{}", True)]
)
def test_optional_component_exists_where_its_group_does(text: str | None, expected: bool) -> None:
    settings = parse(**({} if text is None else {"monitoring": text}))

    assert (settings.monitoring is not None) is expected


MISTAKES: list[tuple[Mapping[str, str], str]] = [
    ({"visibilityTimeout": "60"}, "visibilityTimeout is no setting. The settings are aggregateShards, alarm"),
    ({"relay": '{"queueBatchSize": 1}'}, "queueBatchSize is no setting of relay. Its settings are allow"),
    ({"relay": "no"}, "relay must be a group of settings such as {}, but is 'no'"),
    ({"consumer": "true"}, "consumer must be a group of settings"),
    (
        {"consumer": '{"queueBatchSize": "many"}'},
        "queueBatchSize must be a plain whole number, but is 'many'",
    ),
    ({"streamBatchSize": "many"}, "streamBatchSize must be a plain whole number, but is 'many'"),
    ({"streamBatchSize": "\u0661"}, "streamBatchSize must be a plain whole number, but is '\u0661'"),
    ({"protectTables": "yes"}, "protectTables must be true or false, but is 'yes'"),
    ({"streamBatchSize": "10001"}, "streamBatchSize must be 1 to 10000, but is 10001"),
    ({"logRetentionDays": "2"}, "logRetentionDays must be one of 1, 3, 5, 7, .*, but is 2"),
    ({"streamMaximumRetries": "-1"}, "streamMaximumRetries must be .* or set allowUnlimitedRetries"),
    (
        {"visibilityTimeoutSeconds": "60", "functionTimeoutSeconds": "30"},
        "visibilityTimeoutSeconds must be 180 or more, but is 60: 6 x functionTimeoutSeconds",
    ),
    (
        {"queueRetentionSeconds": "345600", "deadLetterRetentionSeconds": "345600"},
        r"deadLetterRetentionSeconds must be more than queueRetentionSeconds \(345600\), but is 345600",
    ),
    (
        {"reconciler": '{"reconcilerMarginSeconds": 86400, "reconcilerHorizonSeconds": 86400}'},
        "reconcilerHorizonSeconds must be 172800 or more, but is 86400: 2 x reconcilerMarginSeconds",
    ),
    ({"reconciler": "{}"}, "reconcileIndex must be true where there is a reconciler, but is false"),
    (
        {"queueBatchSize": "11", "queueBatchWindowSeconds": "0"},
        "queueBatchSize must be 1 to 10 without a batch window, but is 11",
    ),
    ({"dependencies": ""}, "dependencies must be one of runtime, bundled, but is ''"),
    (
        {"reservedConcurrency": "0"},
        "reservedConcurrency must be 1 to .*, but is 0: 0 would stop the function",
    ),
    (
        {"monitoring": '{"alarmTopicArns": ["on-call"]}'},
        "alarmTopicArns must be ARNs of SNS topics, but is 'on-call'",
    ),
    ({"monitoring": "{}", "alarmTopicArns": "on-call"}, "alarmTopicArns must be a list"),
    (
        {"monitoring": "{}", "queueRetentionSeconds": "600"},
        r"alarmMessageAgeSeconds must be less than queueRetentionSeconds \(600\), but is 600",
    ),
    (
        {"monitoring": "{}", "streamMaximumRecordAgeSeconds": "600"},
        r"alarmStreamAgeSeconds must be less than streamMaximumRecordAgeSeconds \(600\), but is 600",
    ),
    (
        {"consumer": '{"reservedConcurrency": 3, "queueMaximumConcurrency": 10}'},
        r"queueMaximumConcurrency must be at most reservedConcurrency \(3\), but is 10",
    ),
    *(
        ({"faultAfterCommit": order_id}, "faultAfterCommit must be an order id")
        for order_id in ("ORDER X", "a" * 41, "order-b\n", "null value")
    ),
]


@pytest.mark.parametrize(("values", "sentence"), MISTAKES)
def test_mistake_is_one_sentence_with_key_value_and_rule_before_any_resource(
    values: Mapping[str, str], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    registered = watch_registrations(monkeypatch)

    with pytest.raises(ConfigurationError, match=sentence):
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

    run_root("dev", AwsMocks())

    assert "orders-source" in registered


def test_alarm_is_always_in_time_where_the_record_age_has_no_limit() -> None:
    settings = parse(
        monitoring="{}",
        allowUnlimitedRetries="true",
        streamMaximumRetries="-1",
        streamMaximumRecordAgeSeconds="-1",
    )

    assert settings.monitoring == {}
    assert values_of(settings)["relay"]["stream_maximum_retries"] == -1


def test_thresholds_of_alarms_that_are_off_bind_nothing() -> None:
    settings = parse(streamMaximumRecordAgeSeconds="60", queueRetentionSeconds="60")

    assert settings.monitoring is None


def read_under(config: Mapping[str, str], project: str = PROJECT) -> Settings:
    found: list[Settings] = []

    def program() -> Recording | None:
        found.append(read_settings())
        return None

    run(program, config=config, project=project)
    return found[0]


def test_settings_are_read_from_the_namespace_of_the_running_project() -> None:
    settings = read_under({"payments:streamBatchSize": "9"}, project="payments")

    assert vars(settings)["relay"] == {"stream_batch_size": 9}


def test_misspelt_namespace_is_refused_before_it_loses_a_protection() -> None:
    with pytest.raises(
        ConfigurationError, match=r"transactional-outbx:protectTables, which nothing here reads"
    ):
        read_under({"transactional-outbx:protectTables": "true"})


def test_configuration_of_provider_and_engine_is_left_to_them() -> None:
    settings = read_under({"aws:visibilityTimeout": "1", "pulumi:tags": "{}"})

    assert settings == parse()
    assert issubclass(ConfigurationError, pulumi.RunError)  # shown without a traceback


def test_fault_names_an_order_as_the_handlers_do() -> None:
    assert limits.FAULT_AFTER_COMMIT.pattern == orders.ORDER_ID_PATTERN.replace("{1,", "{0,")


def test_misspelt_key_handed_over_in_the_environment_is_found_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG", f'{{"{PROJECT}:streamBatchSzie": "7"}}')

    with pytest.raises(ConfigurationError, match="streamBatchSzie is no setting"):
        read_under({})
