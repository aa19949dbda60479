"""Every setting reaches a resource: the root program with one value changed registers something else."""

import dataclasses
from functools import cache

import pulumi
import pytest

from components.settings import Settings, config_key
from tests.unit.recording import Recording
from tests.unit.root_program import as_text, run_root
from tests.unit.walkthrough import FUNCTIONS

OTHER_VALUES: dict[str, object] = {
    "fault_after_commit": "order-b",
    "dependencies": "bundled",
    "architecture": "arm64",
    "log_retention_days": 3,
    "log_format": "JSON",
    "alarm_topic_arns": "arn:aws:sns:eu-central-1:123456789012:on-call",
    "runbook_url": "https://wiki.test/outbox",
    "visibility_timeout_seconds": 90,
    "outbox_row_lifetime_seconds": 30 * 86400,
    "inbox_marker_lifetime_seconds": 60 * 86400,
    "reconciler_horizon_seconds": 86400,
    "reconciler_start": "2026-09-05T12:00",
}
"""Where the next value is none, or not one that is accepted. A switch is turned, a number is one more."""

MONITORED: dict[str, object] = {"monitoring": True}
RECONCILED: dict[str, object] = {"reconcile_index": True, "reconciler": True}
COMPANIONS: dict[str, dict[str, object]] = {
    "function_timeout_seconds": {"visibility_timeout_seconds": 120},
    "queue_batch_window_seconds": {"visibility_timeout_seconds": 120},
    "inbox_marker_lifetime_seconds": {"outbox_row_lifetime_seconds": 30 * 86400},
    "reconciler": {"reconcile_index": True},
}
"""What the value needs beside it to be accepted, or to matter."""


def companions(field: str) -> dict[str, object]:
    if field.startswith(("alarm_", "runbook_")):
        return MONITORED
    if field.startswith("reconciler_"):
        return RECONCILED
    return COMPANIONS.get(field, {})


def other(field: "dataclasses.Field[object]") -> object:
    """An accepted value that is not the default."""
    if field.name in OTHER_VALUES:
        return OTHER_VALUES[field.name]
    if isinstance(field.default, bool):
        return not field.default
    assert isinstance(field.default, int), f"Say in OTHER_VALUES what {field.name} may be."
    return field.default + 1 if field.default >= 0 else 7


@cache
def run_with(values: frozenset[tuple[str, object]]) -> Recording:
    return run_root("dev", changes={config_key(name): as_text(value) for name, value in values})


def registered(values: dict[str, object]) -> dict[tuple[str, str], object]:
    """What the program asks for of each resource, by type and name."""
    return {
        (each.type, each.name): (comparable(each.inputs), each.protect, each.retain_on_delete)
        for each in run_with(frozenset(values.items())).registrations
    }


def comparable(value: object) -> object:
    """Archives by the names in them: the SDK compares those objects by identity, and no two would be the same."""
    if isinstance(value, pulumi.AssetArchive):
        return sorted(value.assets)
    if isinstance(value, dict):
        return {key: comparable(inner) for key, inner in value.items()}
    return value


def test_program_run_again_with_the_same_values_registers_the_same() -> None:
    before = registered(RECONCILED)
    run_with.cache_clear()

    assert registered(RECONCILED) == before


# It is a permission, and no resource has it: what it permits is accepted with it alone (test_settings.py).
SHOWN_ELSEWHERE = {"allow_unlimited_retries"}


@pytest.mark.parametrize(
    "field",
    [each for each in dataclasses.fields(Settings) if each.name not in SHOWN_ELSEWHERE],
    ids=lambda field: str(field.name),
)
def test_setting_with_another_value_changes_what_is_registered(field: "dataclasses.Field[object]") -> None:
    beside = companions(field.name)

    before, after = registered(beside), registered({**beside, field.name: other(field)})

    assert after != before, f"{field.name} reaches no resource: hand it to a component in __main__.py."


def test_unlimited_retries_reach_the_mapping_with_their_permission() -> None:
    after = registered({"allow_unlimited_retries": True, "stream_maximum_retries": -1})

    assert after != registered({})


@pytest.mark.parametrize(
    "name", ["dependencies", "architecture", "function_memory_megabytes", "log_retention_days", "log_format"]
)
def test_setting_of_all_functions_changes_something_of_each(name: str) -> None:
    (field,) = [each for each in dataclasses.fields(Settings) if each.name == name]

    before, after = registered(RECONCILED), registered({**RECONCILED, name: other(field)})

    changed = {
        each.rpartition("-")[0] for (kind, each), asked in after.items() if before[kind, each] != asked
    }
    # The reconciler has a memory of its own, as it has a timeout: reconciler_memory_megabytes.
    reconciler: set[str] = set() if name == "function_memory_megabytes" else {"sales-reconciler"}
    assert changed >= {*FUNCTIONS.values()} | reconciler
