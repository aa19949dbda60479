"""An independent judge: every document that the stacks render, in every partition, passes parliament."""

import json
import re
import warnings

import pytest

from pack.resources import ROLE, ROLE_POLICY
from tests.policy.worlds import World, recorded

# parliament imports pkg_resources, leaves its files open and has texts with stray backslashes.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from parliament import analyze_policy_string

PARTITIONS = ("aws", "aws-cn", "aws-us-gov")


def findings(document: str) -> list[str]:
    # parliament takes each colon for a part of the ARN, and a stream's label is a time: 2026-09-05T12:00:00.000.
    without_times = re.sub(r"(T\d\d):(\d\d):(\d\d)", r"\1-\2-\3", document)
    return [str(found) for found in analyze_policy_string(without_times).findings]


def documents(world: World) -> list[str]:
    return [made.inputs["policy"] for made in world.of(ROLE_POLICY)]


@pytest.mark.parametrize("stack", ["dev", "prod"])
@pytest.mark.parametrize("partition", PARTITIONS)
def test_rendered_documents_have_no_finding(stack: str, partition: str) -> None:
    rendered = documents(recorded(stack, partition=partition))

    said = [findings(document) for document in rendered]

    assert said == [[]] * (3 if stack == "dev" else 4)
    assert all(f'"arn:{partition}:' in document for document in rendered)


@pytest.mark.parametrize("action", ["dynamodb:TransactWriteItems", "sqs:SendMessageBatch"])
def test_action_that_iam_does_not_know_is_found(action: str) -> None:
    document = json.loads(documents(recorded())[0])
    document["Statement"][0]["Action"] = action

    said = findings(json.dumps(document))

    assert said != []


def test_trust_policies_name_lambda_alone() -> None:
    trusts = [json.loads(role.inputs["assumeRolePolicy"])["Statement"] for role in recorded().of(ROLE)]

    principals = {json.dumps(statement["Principal"]) for statements in trusts for statement in statements}

    assert principals == {'{"Service": "lambda.amazonaws.com"}'}
