"""Arguments that a component does not have, and those that it has to be given."""

import re
from collections.abc import Callable
from typing import Any

import pytest

import components
from components.validation import InvalidSettingError
from tests.unit.builders import relay_args
from tests.unit.recording import run
from tests.unit.test_reconciler import NAMES as RECONCILER_NAMES

COMPLETE: dict[str, Any] = {
    "OutboxSource": {},
    "Relay": relay_args(),
    "IdempotentConsumer": {},
    "Reconciler": RECONCILER_NAMES,
    "Monitoring": {"queue_name": "q"},
}
CLASSES: dict[str, Callable[..., object]] = {name: getattr(components, name) for name in COMPLETE}


def test_every_component_is_tried_here() -> None:
    assert {f"{name}Args" for name in CLASSES} | CLASSES.keys() | {"export_outbox"} == set(components.__all__)


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("wrong", ["speling", "functionTimeoutSeconds"])
def test_argument_that_a_component_does_not_have_is_refused(name: str, wrong: str) -> None:
    with pytest.raises(InvalidSettingError, match=rf"{name} has no argument {wrong}\..* It takes "):
        run(lambda: CLASSES[name]("orders", COMPLETE[name] | {wrong: 1}))


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
        run(lambda: CLASSES[name]("orders", COMPLETE[name] | {wrong: 1}))


@pytest.mark.parametrize(
    ("name", "missing"),
    [(name, missing) for name in ("Relay", "Reconciler") for missing in COMPLETE[name]],
)
@pytest.mark.parametrize("without", ["left out", "None"])
def test_required_argument_that_is_missing_is_named(name: str, missing: str, without: str) -> None:
    args = {key: value for key, value in COMPLETE[name].items() if key != missing}
    nothing = {} if without == "left out" else {missing: None}

    with pytest.raises(
        InvalidSettingError, match=rf"{missing}\b.*; it needs|index_name and index_arn must be those"
    ):
        run(lambda: CLASSES[name]("orders", args | nothing))


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("wrong", [None, "protect_tables", ["protect_tables"]])
def test_arguments_that_are_no_dictionary_are_refused(name: str, wrong: object) -> None:
    sentence = re.escape(
        f"arguments of {name} must be a dictionary, empty where all are optional, but are {wrong!r}."
    )

    with pytest.raises(InvalidSettingError, match=sentence):
        run(lambda: CLASSES[name]("orders", wrong))
