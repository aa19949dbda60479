"""What the functions may do in the whole stack, in any partition and region."""

import json
import re
from collections import Counter
from typing import Any

import pytest

from tests.unit.aws_mocks import FUNCTION, ROLE, ROLE_POLICY, AwsMocks
from tests.unit.recording import LAMBDA_FUNCTION, UNKNOWN, Recording
from tests.unit.root_program import ROOT, run_root
from tests.unit.walkthrough import (
    FUNCTIONS,
    STATEMENTS,
)


def policy_texts(recording: Recording) -> list[str]:
    return [registration.inputs["policy"] for registration in recording.of_type(ROLE_POLICY)]


def texts(value: Any) -> list[str]:
    """Every text in a nested value."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in texts(inner)]
    return [value] if isinstance(value, str) else []


REGION = re.compile(r"\b(?:us|eu|ap|sa|ca|me|af|il|mx|cn|eusc)-(?:[a-z]+-)+\d\b")


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
def test_f2_no_role_may_create_log_groups(stack: str) -> None:
    recording = run_root(stack)

    assert "CreateLogGroup" not in "".join(policy_texts(recording))
    assert "logs:*" not in "".join(policy_texts(recording))


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
    assert len(arns) == 13
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
    ) == {True: 3 if stack == "dev" else 4}
    assert len({function.inputs["role"] for function in recording.of_type(FUNCTION)}) == len(roles)
    assert sorted(policy.inputs["role"] for policy in recording.of_type(ROLE_POLICY)) == sorted(
        f"{role}-1a2b3c4" for role in roles
    )


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
