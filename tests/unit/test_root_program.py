"""The whole program: what a stack consists of, and what it must not."""

import json
import os
import re
import runpy
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pulumi
import pytest

from tests.unit.recording import (
    FUNCTION,
    LAMBDA_FUNCTION,
    LOG_GROUP,
    MAPPING,
    QUEUE,
    ROLE,
    ROLE_POLICY,
    TABLE,
    UNKNOWN,
    AwsMocks,
    Recording,
    run,
)
from tests.unit.root_program import ROOT, run_root

ACCOUNT = "123456789012"
SOURCE_TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/orders-source-1a2b3c4"
STREAM_ARN = f"{SOURCE_TABLE_ARN}/stream/2026-09-05T12:00:00.000"
PROJECTION_TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/sales-projection-1a2b3c4"
QUEUE_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:sales-queue-1a2b3c4"
QUEUE_URL = f"https://sqs.us-east-1.test/{ACCOUNT}/sales-queue-1a2b3c4"
DEAD_LETTER_QUEUE_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:sales-dead-letter-queue-1a2b3c4"
FUNCTIONS = {"command": "orders-command", "relay": "orders-relay", "consumer": "sales-consumer"}

TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
    ],
}
KEYS = {
    "hashKey": "PK",
    "rangeKey": "SK",
    "attributes": [{"name": "PK", "type": "S"}, {"name": "SK", "type": "S"}],
}
STATEMENTS: dict[str, list[dict[str, Any]]] = {
    "orders-command": [
        {"Sid": "WriteOrderAndOutbox", "Action": ["dynamodb:PutItem"], "Resource": SOURCE_TABLE_ARN},
    ],
    "orders-relay": [
        {"Sid": "ForwardOutbox", "Action": ["sqs:SendMessage"], "Resource": [QUEUE_ARN]},
        {
            "Sid": "ReadSourceStream",
            "Action": ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
            "Resource": STREAM_ARN,
        },
        {
            "Sid": "DiscoverStreams",
            "Action": ["dynamodb:ListStreams"],
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:RequestedRegion": "us-east-1"}},
        },
    ],
    "sales-consumer": [
        {
            "Sid": "WriteInboxAndAggregate",
            "Action": ["dynamodb:PutItem", "dynamodb:UpdateItem"],
            "Resource": PROJECTION_TABLE_ARN,
        },
        {
            "Sid": "ConsumeDeliveryQueue",
            "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
            "Resource": QUEUE_ARN,
        },
    ],
}
ENVIRONMENTS = {
    "orders-command": {"SOURCE_TABLE": "orders-source-1a2b3c4"},
    "orders-relay": {"QUEUE_URL": QUEUE_URL},
    "sales-consumer": {"PROJECTION_TABLE": "sales-projection-1a2b3c4"},
}
MODULES = {
    "orders-command": {"command.py", "orders.py"},
    "orders-relay": {"relay.py"},
    "sales-consumer": {"consumer.py", "orders.py"},
}


def walkthrough_resources() -> dict[tuple[str, str], dict[str, Any]]:
    """Every resource of the dev stack with all its inputs but the code."""
    resources: dict[tuple[str, str], dict[str, Any]] = {
        (TABLE, "orders-source"): {
            **KEYS,
            "billingMode": "PAY_PER_REQUEST",
            "streamEnabled": True,
            "streamViewType": "NEW_IMAGE",
            "deletionProtectionEnabled": False,
        },
        (TABLE, "sales-projection"): {
            **KEYS,
            "billingMode": "PAY_PER_REQUEST",
            "deletionProtectionEnabled": False,
        },
        (QUEUE, "sales-dead-letter-queue"): {
            "messageRetentionSeconds": 4 * 86400,
            "receiveWaitTimeSeconds": 20,
            "sqsManagedSseEnabled": True,
        },
        (QUEUE, "sales-queue"): {
            "visibilityTimeoutSeconds": 60,
            "messageRetentionSeconds": 86400,
            "receiveWaitTimeSeconds": 20,
            "sqsManagedSseEnabled": True,
            "redrivePolicy": {"deadLetterTargetArn": DEAD_LETTER_QUEUE_ARN, "maxReceiveCount": 5},
        },
        (MAPPING, "orders-relay-mapping"): {
            "eventSourceArn": STREAM_ARN,
            "functionName": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:orders-relay-function-1a2b3c4",
            "enabled": True,
            "batchSize": 1,
            "startingPosition": "TRIM_HORIZON",
            "maximumBatchingWindowInSeconds": 0,
            "maximumRetryAttempts": 100,
            "maximumRecordAgeInSeconds": 3600,
            "parallelizationFactor": 1,
            "functionResponseTypes": ["ReportBatchItemFailures"],
            "filterCriteria": {
                "filters": [
                    {"pattern": '{"eventName":["INSERT"],"dynamodb":{"NewImage":{"kind":{"S":["OUTBOX"]}}}}'}
                ]
            },
        },
        (MAPPING, "sales-consumer-mapping"): {
            "eventSourceArn": QUEUE_ARN,
            "functionName": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:sales-consumer-function-1a2b3c4",
            "enabled": True,
            "batchSize": 1,
            "maximumBatchingWindowInSeconds": 0,
            "scalingConfig": {"maximumConcurrency": 2},
            "functionResponseTypes": ["ReportBatchItemFailures"],
        },
    }
    for purpose, name in FUNCTIONS.items():
        logs = {
            "Sid": "WriteFunctionLogs",
            "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
            "Resource": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:{name}-logs-1a2b3c4:*",
        }
        resources |= {
            (LOG_GROUP, f"{name}-logs"): {"retentionInDays": 1, "logGroupClass": "STANDARD"},
            (ROLE, f"{name}-role"): {"assumeRolePolicy": TRUST},
            (ROLE_POLICY, f"{name}-policy"): {
                "role": f"{name}-role-1a2b3c4",
                "policy": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {"Effect": "Allow", **statement} for statement in [*STATEMENTS[name], logs]
                    ],
                },
            },
            (FUNCTION, f"{name}-function"): {
                "role": f"arn:aws:iam::{ACCOUNT}:role/{name}-role-1a2b3c4",
                "runtime": "python3.14",
                "architectures": ["x86_64"],
                "handler": f"{purpose}.lambda_handler",
                "memorySize": 256,
                "timeout": 10,
                "ephemeralStorage": {"size": 512},
                "environment": {"variables": ENVIRONMENTS[name]},
                "loggingConfig": {"logFormat": "Text", "logGroup": f"{name}-logs-1a2b3c4"},
            },
        }
    return resources


def readable(inputs: dict[str, Any]) -> dict[str, Any]:
    """Inputs without the code, documents parsed."""
    documents = {"policy", "assumeRolePolicy", "redrivePolicy"}
    return {
        name: json.loads(value) if name in documents else value
        for name, value in inputs.items()
        if name != "code"
    }


def policy_texts(recording: Recording) -> list[str]:
    return [registration.inputs["policy"] for registration in recording.of_type(ROLE_POLICY)]


def texts(value: Any) -> list[str]:
    """Every text in a nested value."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


def test_dev_stack_is_exactly_the_walkthrough() -> None:
    recording = run_root("dev")

    found = {(item.type, item.name): readable(item.inputs) for item in recording.custom}
    assert found == walkthrough_resources()
    assert Counter(item.type for item in recording.custom) == {
        TABLE: 2,
        QUEUE: 2,
        LOG_GROUP: 3,
        ROLE: 3,
        ROLE_POLICY: 3,
        FUNCTION: 3,
        MAPPING: 2,
    }


def test_stack_without_any_configuration_is_the_walkthrough_too() -> None:
    recording = run(lambda: runpy.run_path(str(ROOT)))

    assert {
        (item.type, item.name): readable(item.inputs) for item in recording.custom
    } == walkthrough_resources()


def test_function_archives_hold_the_library_and_the_functions_own_modules() -> None:
    recording = run_root("dev")

    library = {f"outbox/{path.name}" for path in (ROOT / "handlers" / "outbox").glob("*.py")}
    for name, modules in MODULES.items():
        code = recording.one(FUNCTION, f"{name}-function").inputs["code"]
        assert set(code.assets) == modules | library
        assert all(isinstance(asset, pulumi.StringAsset) for asset in code.assets.values())


def test_exports_map_purpose_to_name() -> None:
    recording = run_root("dev")

    assert recording.exports == {
        "source_table_name": "orders-source-1a2b3c4",
        "projection_table_name": "sales-projection-1a2b3c4",
        "stream_arn": STREAM_ARN,
        "queue_url": QUEUE_URL,
        "queue_arn": QUEUE_ARN,
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
    }


def test_root_program_runs_from_any_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    recording = run_root("dev")

    assert len(recording.custom) == 18


def test_prod_stack_is_batched_protected_and_reports_what_it_gives_up() -> None:
    recording = run_root("prod")

    stream = recording.one(MAPPING, "orders-relay-mapping").inputs
    queue = recording.one(MAPPING, "sales-consumer-mapping").inputs
    failures = recording.one(QUEUE, "orders-relay-failures")
    assert (stream["batchSize"], queue["batchSize"]) == (100, 10)
    assert (stream["maximumRetryAttempts"], stream["maximumRecordAgeInSeconds"]) == (10_000, 86_400)
    assert stream["destinationConfig"] == {
        "onFailure": {"destinationArn": f"arn:aws:sqs:us-east-1:{ACCOUNT}:orders-relay-failures-1a2b3c4"}
    }
    assert failures.inputs["messageRetentionSeconds"] == 14 * 86400
    assert len(recording.custom) == 19
    assert recording.exports["relay_failure_queue_url"].endswith("/orders-relay-failures-1a2b3c4")


def test_every_child_is_named_after_its_parent() -> None:
    recording = run_root("prod")

    names = {registration.urn: registration.name for registration in recording.registrations}
    children = [item for item in recording.registrations if item.parent in names]
    assert len(children) == len(recording.registrations) - 3  # all but the three components
    assert all(child.name.startswith(f"{names[child.parent]}-") for child in children)


def test_purpose_and_grants_are_known_at_the_first_preview() -> None:
    recording = run_root("dev", AwsMocks(preview=True))

    declared = {item.inputs["purpose"]: item.inputs["grants"] for item in recording.of_type(LAMBDA_FUNCTION)}
    logs = {"WriteFunctionLogs": ["logs:CreateLogStream", "logs:PutLogEvents"]}
    assert declared == {
        purpose: {statement["Sid"]: statement["Action"] for statement in STATEMENTS[name]} | logs
        for purpose, name in FUNCTIONS.items()
    }
    assert {item.inputs["policy"] for item in recording.of_type(ROLE_POLICY)} == {UNKNOWN}


def test_declared_grants_equal_the_document_and_the_component_outputs() -> None:
    recording = run_root("prod")

    for name in FUNCTIONS.values():
        component = recording.one(LAMBDA_FUNCTION, name)
        document = json.loads(recording.one(ROLE_POLICY, f"{name}-policy").inputs["policy"])
        outputs = recording.component_outputs[component.urn]
        in_document = {statement["Sid"]: statement["Action"] for statement in document["Statement"]}
        assert component.inputs["grants"] == in_document == outputs["grants"]
        assert component.inputs["purpose"] == outputs["purpose"]


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_b3_both_mappings_report_failed_items(stack: str) -> None:
    recording = run_root(stack)

    types = [mapping.inputs["functionResponseTypes"] for mapping in recording.of_type(MAPPING)]
    assert types == [["ReportBatchItemFailures"]] * 2


def test_b13_grant_and_mapping_follow_the_tables_current_stream() -> None:
    reenabled = f"{SOURCE_TABLE_ARN}/stream/2026-10-01T00:00:00.000"

    recording = run_root("dev", AwsMocks(overrides={TABLE: {"streamArn": reenabled}}))

    document = json.loads(recording.one(ROLE_POLICY, "orders-relay-policy").inputs["policy"])
    mapping = recording.one(MAPPING, "orders-relay-mapping")
    table = recording.one(TABLE, "orders-source").urn
    assert document["Statement"][1]["Resource"] == mapping.inputs["eventSourceArn"] == reenabled
    assert mapping.property_dependencies["eventSourceArn"] == {table}
    assert table in recording.one(ROLE_POLICY, "orders-relay-policy").property_dependencies["policy"]


def test_b13_stream_without_new_image_stops_the_deployment() -> None:
    keys_only = AwsMocks(overrides={TABLE: {"streamViewType": "KEYS_ONLY"}})

    with pytest.raises(ValueError, match="stream_view_type is 'KEYS_ONLY'; accepted is NEW_IMAGE or"):
        run_root("dev", keys_only)


def test_d6_no_table_lets_items_expire() -> None:
    recording = run_root("prod")

    assert [table.inputs.get("ttl") for table in recording.of_type(TABLE)] == [None, None]


@pytest.mark.parametrize("name", ["orders-relay", "sales-consumer"])
def test_f1_mapping_waits_for_its_functions_policy(name: str) -> None:
    recording = run_root("dev")

    mapping = recording.one(MAPPING, f"{name}-mapping")
    assert recording.one(ROLE_POLICY, f"{name}-policy").urn in mapping.dependencies


@pytest.mark.parametrize("name", FUNCTIONS.values())
def test_f2_function_waits_for_its_policy_and_log_group(name: str) -> None:
    recording = run_root("dev")

    function = recording.one(FUNCTION, f"{name}-function")
    assert recording.one(ROLE_POLICY, f"{name}-policy").urn in function.dependencies
    assert recording.one(LOG_GROUP, f"{name}-logs").urn in function.dependencies


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_f2_no_role_may_create_log_groups(stack: str) -> None:
    recording = run_root(stack)

    assert "CreateLogGroup" not in "".join(policy_texts(recording))
    assert "logs:*" not in "".join(policy_texts(recording))


def test_f5_program_started_without_an_engine_says_so() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PULUMI")}

    outcome = subprocess.run(
        [sys.executable, str(ROOT)], env=environment, capture_output=True, text=True, timeout=120, check=False
    )

    assert outcome.returncode == 1
    assert "No Pulumi engine runs this program: start it with pulumi preview or pulumi up" in outcome.stderr


def test_f7_trial_stack_comes_down_without_resistance() -> None:
    recording = run_root("dev")

    assert not any(item.protect or item.retain_on_delete for item in recording.registrations)
    assert not any(table.inputs["deletionProtectionEnabled"] for table in recording.of_type(TABLE))


def test_f7_one_switch_protects_both_tables_and_nothing_else() -> None:
    recording = run_root("dev", changes={"protectTables": "true"})

    protected = {item.name for item in recording.registrations if item.protect}
    assert protected == {"orders-source", "sales-projection"}
    assert all(table.inputs["deletionProtectionEnabled"] for table in recording.of_type(TABLE))


@pytest.mark.parametrize(
    ("partition", "region"),
    [("aws-cn", "cn-north-1"), ("aws-us-gov", "us-gov-west-1"), ("aws-eusc", "eusc-de-east-1")],
)
def test_f11_partition_comes_from_outputs_alone(partition: str, region: str) -> None:
    recording = run_root("prod", AwsMocks(partition=partition, region=region))

    arns = [
        text
        for document in policy_texts(recording)
        for text in texts(json.loads(document))
        if text.startswith("arn:")
    ]
    assert len(arns) == 9
    assert {arn.split(":")[1] for arn in arns} == {partition}
    assert {arn.split(":")[3] for arn in arns} == {region}


def test_g7_discovering_streams_is_alone_with_its_wildcard() -> None:
    recording = run_root("prod")

    wildcards = [
        statement
        for document in policy_texts(recording)
        for statement in json.loads(document)["Statement"]
        if statement["Resource"] == "*"
    ]
    assert wildcards == [{"Effect": "Allow", **STATEMENTS["orders-relay"][2]}]


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_g8_each_function_has_a_role_of_its_own_with_one_separate_policy(stack: str) -> None:
    recording = run_root(stack)

    roles = [role.name for role in recording.of_type(ROLE)]
    assert Counter(
        role.inputs.keys() - {"assumeRolePolicy"} == set() for role in recording.of_type(ROLE)
    ) == {True: 3}
    assert len({function.inputs["role"] for function in recording.of_type(FUNCTION)}) == 3
    assert sorted(policy.inputs["role"] for policy in recording.of_type(ROLE_POLICY)) == sorted(
        f"{role}-1a2b3c4" for role in roles
    )


REGION = re.compile(r"\b(?:us|eu|ap|sa|ca|me|af|il|mx|cn|eusc)-(?:[a-z]+-)+\d\b")


def test_h2_stack_in_another_region_names_only_that_region() -> None:
    recording = run_root("dev", AwsMocks(region="eu-central-1"))

    everything = " ".join(text for item in recording.registrations for text in texts(item.inputs))
    assert set(REGION.findall(everything)) == {"eu-central-1"}
    assert '"aws:RequestedRegion": "eu-central-1"' in everything


def test_h2_program_text_holds_no_region_partition_or_account() -> None:
    sources = [ROOT / "__main__.py", *(ROOT / "components").glob("*.py")]

    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)

    assert len(sources) > 10
    assert REGION.findall(text) == []
    assert re.findall(r"arn:aws|\b\d{12}\b", text) == []
