"""The dev stack is the walkthrough, prod what it says of itself: nothing missing, nothing else."""

import json
from collections import Counter
from typing import Any

import pulumi

from components.pinned_packages import pinned_files
from tests.unit import production
from tests.unit.aws_mocks import FUNCTION, LOG_GROUP, MAPPING, QUEUE, ROLE, ROLE_POLICY, TABLE
from tests.unit.root_program import ROOT, run_root
from tests.unit.walkthrough import (
    ACCOUNT,
    DEAD_LETTER_QUEUE_ARN,
    QUEUE_ARN,
    QUEUE_URL,
    STREAM_ARN,
    resources,
)

MODULES = {
    "orders-command": {"command.py", "orders.py"},
    "orders-relay": {"relay.py"},
    "sales-consumer": {"consumer.py", "orders.py"},
}


def readable(inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs without the code, descriptions and the dashboard's body, documents parsed."""
    documents = {"policy", "assumeRolePolicy", "redrivePolicy"}
    return {
        name: json.loads(value) if name in documents else value
        for name, value in inputs.items()
        if name not in {"code", "alarmDescription", "dashboardBody"}
    }


def test_dev_stack_is_exactly_the_walkthrough() -> None:
    recording = run_root("dev")

    found = {(item.type, item.name): readable(item.inputs) for item in recording.custom}
    assert found == resources()
    assert Counter(item.type for item in recording.custom) == {
        TABLE: 2,
        QUEUE: 2,
        LOG_GROUP: 3,
        ROLE: 3,
        ROLE_POLICY: 3,
        FUNCTION: 3,
        MAPPING: 2,
    }


def test_prod_stack_is_exactly_what_it_changes_and_adds() -> None:
    recording = run_root("prod")

    found = {(item.type, item.name): readable(item.inputs) for item in recording.custom}
    assert found == production.resources()


def test_function_archives_hold_the_library_and_the_functions_own_modules() -> None:
    recording = run_root("dev")

    library = {f"outbox/{path.name}" for path in (ROOT / "handlers" / "outbox").glob("*.py")}
    for name, modules in MODULES.items():
        code = recording.one(FUNCTION, f"{name}-function").inputs["code"]
        assert set(code.assets) == modules | library
        assert all(isinstance(asset, pulumi.StringAsset) for asset in code.assets.values())


def test_prod_archives_hold_the_pinned_packages_as_well() -> None:
    recording = run_root("prod")

    library = {f"outbox/{path.name}" for path in (ROOT / "handlers" / "outbox").glob("*.py")}
    for name, modules in MODULES.items():
        code = recording.one(FUNCTION, f"{name}-function").inputs["code"]
        assert set(code.assets) == modules | library | pinned_files().keys()


def test_reconcilers_archive_holds_no_domain() -> None:
    recording = run_root("prod")

    code = recording.one(FUNCTION, "sales-reconciler-function").inputs["code"]
    assert {name for name in code.assets if name.endswith("er.py") and "/" not in name} == {"reconciler.py"}
    assert "orders.py" not in code.assets


def test_exports_map_purpose_to_name() -> None:
    recording = run_root("dev")

    assert recording.exports == {
        "domain": "orders",
        "source_table_name": "orders-source-1a2b3c4",
        "projection_table_name": "sales-projection-1a2b3c4",
        "stream_arn": STREAM_ARN,
        "queue_url": QUEUE_URL,
        "queue_arn": QUEUE_ARN,
        "event_types": None,
        "dead_letter_queue_url": f"https://sqs.us-east-1.test/{ACCOUNT}/sales-dead-letter-queue-1a2b3c4",
        "dead_letter_queue_arn": DEAD_LETTER_QUEUE_ARN,
        "command_function_name": "orders-command-function-1a2b3c4",
        "relay_function_name": "orders-relay-function-1a2b3c4",
        "consumer_function_name": "sales-consumer-function-1a2b3c4",
        "command_log_group_name": "orders-command-logs-1a2b3c4",
        "relay_log_group_name": "orders-relay-logs-1a2b3c4",
        "consumer_log_group_name": "sales-consumer-logs-1a2b3c4",
        "relay_mapping_uuid": "uuid-of-orders-relay-mapping-1a2b3c4",
        "consumer_mapping_uuid": "uuid-of-sales-consumer-mapping-1a2b3c4",
        "relay_failure_queue_url": None,
        "reconcile_index_name": None,
        "reconciler_function_name": None,
        "reconciler_log_group_name": None,
        "reconciler_start": None,
        "dashboard_name": None,
        "alarm_arns": None,
    }
