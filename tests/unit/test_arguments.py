"""Arguments that a component does not have, does not take, or has to be given."""

import re
from typing import Any

import pytest

import components
from components.validation import InvalidSettingError
from tests.unit.builders import COMPLETE, QUEUE_ARN, build
from tests.unit.recording import refused, run


def test_every_component_is_tried_here() -> None:
    assert {f"{name}Args" for name in COMPLETE} | COMPLETE.keys() | {"export_outbox"} == set(
        components.__all__
    )


@pytest.mark.parametrize("name", COMPLETE)
@pytest.mark.parametrize("wrong", ["speling", "functionTimeoutSeconds"])
def test_argument_that_a_component_does_not_have_is_refused(name: str, wrong: str) -> None:
    with pytest.raises(InvalidSettingError, match=rf"{name} has no argument {wrong}\..* It takes "):
        run(build(name, **{wrong: 1}))


@pytest.mark.parametrize(
    ("name", "wrong", "meant"),
    [
        ("OutboxSource", "protect_table", "protect_tables"),
        ("IdempotentConsumer", "queueBatchSize", "queue_batch_size"),
        ("IdempotentConsumer", "queue_batch_sise", "queue_batch_size"),
        ("Monitoring", "alarm_topic_arn", "alarm_topic_arns"),
    ],
)
def test_misspelt_argument_is_told_the_one_that_was_meant(name: str, wrong: str, meant: str) -> None:
    with pytest.raises(
        InvalidSettingError, match=rf"has no argument {wrong}\. Did you mean {meant}\? It takes"
    ):
        run(build(name, **{wrong: 1}))


@pytest.mark.parametrize(
    ("name", "missing"),
    [(name, missing) for name in ("Relay", "Reconciler") for missing in COMPLETE[name]],
)
@pytest.mark.parametrize("without", ["left out", "None"])
def test_required_argument_that_is_missing_is_named(name: str, missing: str, without: str) -> None:
    args: Any = {key: value for key, value in COMPLETE[name].items() if key != missing}
    nothing = {} if without == "left out" else {missing: None}

    with pytest.raises(
        InvalidSettingError, match=rf"{missing}\b.*; it needs|index_name and index_arn must be those"
    ):
        run(lambda: getattr(components, name)("orders", args | nothing))


@pytest.mark.parametrize("name", COMPLETE)
@pytest.mark.parametrize("wrong", [None, "protect_tables", ["protect_tables"]])
def test_arguments_that_are_no_dictionary_are_refused(name: str, wrong: object) -> None:
    sentence = re.escape(
        f"arguments of {name} must be a dictionary, empty where all are optional, but are {wrong!r}."
    )

    with pytest.raises(InvalidSettingError, match=sentence):
        run(lambda: getattr(components, name)("orders", wrong))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("OutboxSource", {"outbox_row_lifetime_seconds": 1}),
        ("OutboxSource", {"handler": "elsewhere.handle"}),
        ("Relay", {"stream_maximum_record_age_seconds": 59}),
        ("Relay", {"stream_maximum_retries": -1}),
        ("Relay", {"stream_arn": ""}),
        ("Relay", {"stream_arn": QUEUE_ARN}),
        ("Relay", {"stream_view_type": "KEYS_ONLY"}),
        ("Relay", {"queues": [{"url": QUEUE_ARN, "arn": "https://q.test/q"}]}),
        ("Relay", {"queues": ["q"]}),
        ("Relay", {"queues": {"url": "https://q.test/q", "arn": QUEUE_ARN}}),
        ("IdempotentConsumer", {"aggregate_shards": 1001}),
        ("IdempotentConsumer", {"reserved_concurrency": 0}),
        ("IdempotentConsumer", {"reserved_concurrency": 3}),
        ("IdempotentConsumer", {"function_timeout_seconds": 30, "visibility_timeout_seconds": 60}),
        ("IdempotentConsumer", {"queue_batch_size": 11, "queue_batch_window_seconds": 0}),
        ("IdempotentConsumer", {"queue_retention_seconds": 14 * 86400}),
        ("IdempotentConsumer", {"inbox_marker_lifetime_seconds": 86400}),
        ("Reconciler", {"reconciler_interval_minutes": 61}),
        ("Reconciler", {"reconciler_margin_seconds": 86_400, "reconciler_horizon_seconds": 3600}),
        ("Reconciler", {"queue_arn": f"{QUEUE_ARN}.fifo"}),
        ("Monitoring", dict.fromkeys(COMPLETE["Monitoring"])),
        ("Monitoring", {"alarm_stream_age_seconds": 86_401}),
        ("Monitoring", {"runbook_url": "a b"}),
        ("Monitoring", {"alarm_topic_arns": QUEUE_ARN}),
        ("Monitoring", {"alarm_topic_arns": ["on-call"]}),
    ],
)
def test_component_that_could_not_work_is_refused_before_any_resource(
    name: str, wrong: dict[str, Any]
) -> None:
    assert refused(build(name, **wrong)) == []
