"""The root program: order of creation, protection, production values, ways to start it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.aws_mocks import FUNCTION, LOG_GROUP, MAPPING, ROLE_POLICY, TABLE, AwsMocks
from tests.unit.production import FAILURE_QUEUE_URL
from tests.unit.production_alarms import alarm_arns
from tests.unit.root_program import ROOT, run_root
from tests.unit.walkthrough import (
    FUNCTIONS,
    SOURCE_TABLE_ARN,
)


def test_root_program_runs_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    recording = run_root("dev", AwsMocks())

    assert len(recording.custom) == 18


def test_prod_stack_exports_its_failure_queue_dashboard_and_alarms() -> None:
    recording = run_root("prod")

    assert recording.exports["relay_failure_queue_url"] == FAILURE_QUEUE_URL
    assert recording.exports["dashboard_name"] == "outbox-dashboard-1a2b3c4"
    assert recording.exports["alarm_arns"] == alarm_arns()


@pytest.mark.parametrize(
    ("group", "purpose"), [("source", "command"), ("relay", "relay"), ("consumer", "consumer")]
)
def test_setting_of_a_group_reaches_the_component_of_that_name_alone(group: str, purpose: str) -> None:
    recording = run_root("dev", changes={group: '{"reservedConcurrency": 7}'})

    reserved = {
        function.name: function.inputs["reservedConcurrentExecutions"]
        for function in recording.of_type(FUNCTION)
        if "reservedConcurrentExecutions" in function.inputs
    }
    assert reserved == {f"{FUNCTIONS[purpose]}-function": 7}


def test_every_child_is_named_after_its_parent() -> None:
    recording = run_root("prod")

    names = {registration.urn: registration.name for registration in recording.registrations}
    children = [item for item in recording.registrations if item.parent in names]
    assert len(children) == len(recording.registrations) - 5  # all but the five components
    assert all(child.name.startswith(f"{names[child.parent]}-") for child in children)


def test_grant_and_mapping_follow_the_tables_current_stream() -> None:
    reenabled = f"{SOURCE_TABLE_ARN}/stream/2026-10-01T00:00:00.000"

    recording = run_root("dev", AwsMocks(overrides={TABLE: {"streamArn": reenabled}}))

    document = json.loads(recording.one(ROLE_POLICY, "orders-relay-policy").inputs["policy"])
    mapping = recording.one(MAPPING, "orders-relay-mapping")
    table = recording.one(TABLE, "orders-source").urn
    assert document["Statement"][1]["Resource"] == mapping.inputs["eventSourceArn"] == reenabled
    assert mapping.property_dependencies["eventSourceArn"] == {table}
    assert table in recording.one(ROLE_POLICY, "orders-relay-policy").property_dependencies["policy"]


def test_stream_without_new_image_stops_the_deployment() -> None:
    keys_only = AwsMocks(overrides={TABLE: {"streamViewType": "KEYS_ONLY"}})

    with pytest.raises(ValueError, match=r"stream_view_type must be NEW_IMAGE or .*, but is 'KEYS_ONLY'"):
        run_root("dev", keys_only)


@pytest.mark.parametrize("name", ["orders-relay", "sales-consumer"])
def test_mapping_waits_for_its_functions_policy(name: str) -> None:
    recording = run_root("dev")

    mapping = recording.one(MAPPING, f"{name}-mapping")
    assert recording.one(ROLE_POLICY, f"{name}-policy").urn in mapping.dependencies


@pytest.mark.parametrize("name", FUNCTIONS.values())
def test_function_waits_for_its_policy_and_log_group(name: str) -> None:
    recording = run_root("dev")

    function = recording.one(FUNCTION, f"{name}-function")
    assert recording.one(ROLE_POLICY, f"{name}-policy").urn in function.dependencies
    assert recording.one(LOG_GROUP, f"{name}-logs").urn in function.dependencies


def test_program_started_without_an_engine_says_so() -> None:
    outcome = subprocess.run(
        [sys.executable, str(ROOT)], capture_output=True, text=True, timeout=120, check=False
    )

    assert outcome.returncode == 1
    assert "No Pulumi engine runs this program: start it with pulumi preview or pulumi up" in outcome.stderr


def test_trial_stack_comes_down_without_resistance() -> None:
    recording = run_root("dev")

    assert not any(item.protect or item.retain_on_delete for item in recording.registrations)
    assert not any(table.inputs["deletionProtectionEnabled"] for table in recording.of_type(TABLE))


def test_one_switch_protects_both_tables_and_nothing_else() -> None:
    recording = run_root("dev", changes={"protectTables": "true"})

    protected = {item.name for item in recording.registrations if item.protect}
    assert protected == {"orders-source", "sales-projection"}
    assert all(table.inputs["deletionProtectionEnabled"] for table in recording.of_type(TABLE))
