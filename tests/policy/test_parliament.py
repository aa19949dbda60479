"""An independent judge: every document that the stacks render, in every partition, passes parliament."""

import json

import pytest

from pack.resources import ROLE_POLICY
from tests.policy.independent import PARTITIONS, findings
from tests.policy.worlds import World, recorded


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
