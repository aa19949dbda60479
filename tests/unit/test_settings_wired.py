"""Every setting reaches a resource: the root program with one value changed registers something else."""

from functools import cache

import pulumi
import pytest

from components.limits import ROWS
from components.settings import config_key
from components.validation import Choice, Row, Switch
from tests.unit.recording import Recording
from tests.unit.root_program import as_text, run_root
from tests.unit.walkthrough import FUNCTIONS

OTHER_VALUES: dict[str, object] = {
    "fault_after_commit": "order-b",
    "alarm_topic_arns": ["arn:aws:sns:eu-central-1:123456789012:on-call"],
    "runbook_url": "https://wiki.test/outbox",
    "visibility_timeout_seconds": 90,
    "reserved_concurrency": 20,
    "stream_maximum_retries": 99,
    "queue_retention_seconds": 90_000,
    "dead_letter_retention_seconds": 345_601,
    "outbox_row_lifetime_seconds": 30 * 86400,
    "inbox_marker_lifetime_seconds": 60 * 86400,
    "reconciler_horizon_seconds": 86400,
    "reconciler_start": "2026-09-05T12:00",
}
"""Where the next value is none that can be. A switch is turned, a choice is another, a number is one more."""

COMPANIONS: dict[str, dict[str, object]] = {
    "inbox_marker_lifetime_seconds": {"outbox_row_lifetime_seconds": 30 * 86400},
}
"""What the value needs beside it to fit, or to matter."""
OPTIONAL: dict[str, object] = {"reconcile_index": True, "reconciler": {}, "monitoring": {}}


def companions(field: str) -> dict[str, object]:
    if field == "reconcile_index":
        return {}
    needs_all = field.startswith(("alarm_", "runbook_", "reconciler_"))
    return {**(OPTIONAL if needs_all else {}), **COMPANIONS.get(field, {})}


def other(row: Row) -> object:
    """A value that the setting may have and the stack has not."""
    if row.field in OTHER_VALUES:
        return OTHER_VALUES[row.field]
    if isinstance(row, Switch):
        return not (row.default and row.field != "failure_queue")
    if isinstance(row, Choice):
        return row.values[-1] if row.field != "log_format" else "JSON"
    assert isinstance(row.default, int), f"Say in OTHER_VALUES what {row.field} may be."
    return row.default + 2 if row.field != "queue_batch_size" else 2


@cache
def run_with(values: frozenset[tuple[str, str]]) -> Recording:
    return run_root("dev", changes={config_key(name): text for name, text in values})


def registered(values: dict[str, object]) -> dict[tuple[str, str], object]:
    """What the program asks for of each resource, by type and name."""
    return {
        (each.type, each.name): (comparable(each.inputs), each.protect, each.retain_on_delete)
        for each in run_with(
            frozenset((name, as_text(value)) for name, value in values.items())
        ).registrations
    }


def comparable(value: object) -> object:
    """Archives by the names in them: the SDK compares those objects by identity, and no two would be the same."""
    if isinstance(value, pulumi.AssetArchive):
        return sorted(value.assets)
    if isinstance(value, dict):
        return {key: comparable(inner) for key, inner in value.items()}
    return value


def test_program_run_again_with_the_same_values_registers_the_same() -> None:
    before = registered(OPTIONAL)
    run_with.cache_clear()

    assert registered(OPTIONAL) == before


# It is a permission, and no resource has it: what it permits is accepted with it alone (test_settings.py).
SHOWN_ELSEWHERE = {"allow_unlimited_retries"}


@pytest.mark.parametrize(
    "row", [row for name, row in ROWS.items() if name not in SHOWN_ELSEWHERE], ids=lambda row: row.field
)
def test_setting_with_another_value_changes_what_is_registered(row: Row) -> None:
    beside = companions(row.field)

    before, after = registered(beside), registered({**beside, row.field: other(row)})

    assert after != before, f"{row.field} reaches no resource: its component must use it."


def test_unlimited_retries_reach_the_mapping_with_their_permission() -> None:
    after = registered({"allow_unlimited_retries": True, "stream_maximum_retries": -1})

    assert after != registered({})


@pytest.mark.parametrize(
    "name", ["dependencies", "architecture", "function_memory_megabytes", "log_retention_days", "log_format"]
)
def test_setting_of_all_functions_changes_something_of_each(name: str) -> None:
    before, after = registered(OPTIONAL), registered({**OPTIONAL, name: other(ROWS[name])})

    changed = {
        each.rpartition("-")[0] for (kind, each), asked in after.items() if before[kind, each] != asked
    }
    assert changed >= {*FUNCTIONS.values(), "sales-reconciler"}
