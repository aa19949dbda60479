"""Every setting reaches a resource: a component with one value changed registers something else."""

from functools import cache

import pulumi
import pytest

from components.validation import Choice, Row, Switch
from tests.unit.builders import SETTINGS, run_component

OTHER_VALUES: dict[str, object] = {
    "fault_after_commit": "order-b",
    "alarm_topic_arns": ["arn:aws:sns:us-east-1:123456789012:on-call"],
    "runbook_url": "https://wiki.test/outbox",
    "visibility_timeout_seconds": 90,
    "reserved_concurrency": 20,
    "stream_maximum_retries": 99,
    "stream_maximum_record_age_seconds": 90,
    "queue_retention_seconds": 90_000,
    "dead_letter_retention_seconds": 345_601,
    "outbox_row_lifetime_seconds": 30 * 86400,
    "inbox_marker_lifetime_seconds": 60 * 86400,
    "reconciler_horizon_seconds": 86400,
    "reconciler_start": "2026-09-05T12:00",
}
"""Values for where the next one is not valid. A switch is turned, a choice is another, a number is one more."""
# On a consumer, they are of one that publishes; a source has no such argument.
COMPANIONS: dict[tuple[str, str], tuple[str, int]] = {
    ("IdempotentConsumer", "reconcile_index"): ("publishes", True),
    ("IdempotentConsumer", "outbox_row_lifetime_seconds"): ("publishes", True),
}
"""A setting that the value needs beside it to fit."""
IN_NO_RESOURCE = {
    ("Relay", "allow_unlimited_retries"): "What it permits is accepted with it alone (test_relay.py).",
}


def other(row: Row) -> object:
    """A value that the setting may have beside its default."""
    if row.field in OTHER_VALUES:
        return OTHER_VALUES[row.field]
    if isinstance(row, Switch):
        return not row.default
    if isinstance(row, Choice):
        return next(value for value in row.values if value != row.default)
    assert isinstance(row.default, int), f"Say in OTHER_VALUES what {row.field} may be."
    return row.default + 1


@cache
def before(component: str, *beside: tuple[str, object]) -> dict[tuple[str, str], object]:
    return registered(component, **dict(beside))


def registered(component: str, **args: object) -> dict[tuple[str, str], object]:
    """Inputs of each resource of a component, by type and name."""
    return {
        (each.type, each.name): (comparable(each.inputs), each.protect)
        for each in run_component(component, **args).registrations
    }


def comparable(value: object) -> object:
    """Archives by the names in them: the SDK compares those objects by identity, and no two would be the same."""
    if isinstance(value, pulumi.AssetArchive):
        return sorted(value.assets)
    if isinstance(value, dict):
        return {key: comparable(inner) for key, inner in value.items()}
    return value


def test_component_built_again_with_the_same_values_registers_the_same() -> None:
    assert registered("Relay") == registered("Relay")


@pytest.mark.parametrize(
    ("component", "row"), [each for each in SETTINGS if (each[0], each[1].field) not in IN_NO_RESOURCE]
)
def test_setting_with_another_value_changes_what_is_registered(component: str, row: Row) -> None:
    beside = [COMPANIONS[component, row.field]] if (component, row.field) in COMPANIONS else []

    after = registered(component, **dict(beside), **{row.field: other(row)})

    assert after != before(component, *beside), f"{row.field} reaches no resource: {component} must use it."
