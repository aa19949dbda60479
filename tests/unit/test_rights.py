"""Rights of the functions in the whole stack, in any partition and region."""

import json
import re
from typing import Any

import pytest

from components.statements import streams_of
from tests.unit.aws_mocks import ROLE_POLICY, AwsMocks
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


@pytest.mark.parametrize(
    ("partition", "region"),
    [("aws-cn", "cn-north-1"), ("aws-us-gov", "us-gov-west-1"), ("aws-eusc", "eusc-de-east-1")],
)
def test_partition_comes_from_outputs_alone(partition: str, region: str) -> None:
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


def test_stack_in_another_region_names_only_that_region() -> None:
    recording = run_root("dev", AwsMocks(region="eu-central-1"))

    everything = " ".join(text for item in recording.registrations for text in texts(item.inputs))
    assert set(REGION.findall(everything)) == {"eu-central-1"}
    assert '"aws:RequestedRegion": "eu-central-1"' in everything


def test_program_text_holds_no_region_partition_or_account() -> None:
    sources = [ROOT / "__main__.py", *(ROOT / "components").glob("*.py")]

    text = "\n".join(source.read_text(encoding="utf-8") for source in sources)

    assert len(sources) > 10
    assert REGION.findall(text) == []
    assert re.findall(r"arn:aws|\b\d{12}\b", text) == []


@pytest.mark.parametrize("end", ["", ":*"])
def test_log_group_arn_ends_once_in_its_streams(end: str) -> None:
    group = "arn:aws-cn:logs:cn-north-1:123456789012:log-group:g"

    assert streams_of(group + end) == f"{group}:*"
