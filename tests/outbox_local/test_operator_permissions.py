"""A stack is deployed, used and taken down under the operator's own document, on an emulator that enforces it."""

import json
from collections.abc import Iterator
from functools import partial

import boto3
import pytest
from botocore.config import Config

from orders import event_id_of
from outbox_cli.dead_letters.deleting import delete_messages
from outbox_cli.dead_letters.messages import InboxState, list_dead_letters
from outbox_cli.dead_letters.redrive import redrive
from outbox_cli.demo.show import Quiet
from outbox_cli.orders.sending import order_created_body
from outbox_cli.parked.correction import correct
from outbox_cli.permissions.operator import Place, operator_document
from outbox_cli.reconcile.findings import Reconciliation
from outbox_cli.relay_failures.failures import QUEUE, clear_failures, list_failures
from outbox_cli.stack.deployed import Stack
from outbox_cli.stack.planned import plan_stack
from outbox_cli.verify.exercise import FIRST_CENTS, verify
from outbox_cli.waiting import Wait
from outbox_local.authorization_log import read_authorizations
from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy, destroy
from outbox_local.emulator import reserve_port, start_emulator
from outbox_local.event_sources import EventSources
from outbox_local.event_sources.sessions import isolated_session
from outbox_local.program import StackConfig, read_stack_config
from tests.outbox_local.conftest import REGION, TRUST_POLICY
from tools.repository import PROGRAM_DIRECTORY

ROLE = "operator"
ACCOUNT = "000000000000"
# Lambda itself looks whether a function's role can read the source of a new mapping; here the deployer does.
# These the emulator judges against no resource, or it knows no key lambda:FunctionArn to judge them by.
STAND_INS = (
    "iam:SimulatePrincipalPolicy",
    *("cloudwatch:DescribeAlarms", "cloudwatch:PutDashboard", "cloudwatch:GetDashboard"),
    *("cloudwatch:DeleteDashboards", "cloudwatch:DeleteAlarms"),
    *("events:PutRule", "events:DescribeRule", "events:DeleteRule", "events:PutTargets"),
    *("events:ListTargetsByRule", "events:RemoveTargets"),
    "lambda:CreateEventSourceMapping",
    "lambda:ListEventSourceMappings",  # what it takes a Get for
    "lambda:UpdateEventSourceMapping",
    "lambda:DeleteEventSourceMapping",
)
STAND_IN = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Action": STAND_INS, "Resource": "*"}],
}


@pytest.fixture(params=["dev", "prod"])
def config(request: pytest.FixtureRequest) -> StackConfig:
    trial = {"aws:region": REGION, "transactional-outbox:protectTables": "false"}  # it is taken down again
    return read_stack_config(PROGRAM_DIRECTORY, request.param, trial)


@pytest.fixture
def root() -> Iterator[Clients]:
    with start_emulator(reserve_port(0), REGION) as emulator:
        yield Clients(emulator)


def as_operator(root: Clients, config: StackConfig) -> Clients:
    """Clients with the rights of the document and no others."""
    place = Place("aws", REGION, ACCOUNT)
    planned = plan_stack(config, place)
    document = operator_document(place, planned.resources, planned.outputs)
    arn = root("iam").create_role(RoleName=ROLE, AssumeRolePolicyDocument=TRUST_POLICY)["Role"]["Arn"]
    root("iam").put_role_policy(RoleName=ROLE, PolicyName="operator", PolicyDocument=json.dumps(document))
    root("iam").put_role_policy(RoleName=ROLE, PolicyName="stand-in", PolicyDocument=json.dumps(STAND_IN))
    keys = root("sts").assume_role(RoleArn=arn, RoleSessionName="operator")["Credentials"]
    session = boto3.Session(
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
        region_name=REGION,
        botocore_session=isolated_session(),
    )
    clients = Clients(root.endpoint)
    clients._make = partial(session.client, endpoint_url=root.endpoint_url, config=Config(proxies={}))
    return clients


def park(root: Clients, stack: Stack, event_id: str) -> None:
    root("dynamodb").update_item(
        TableName=stack["source_table_name"],
        Key={"PK": {"S": f"OUTBOX#{event_id}"}, "SK": {"S": "EVENT"}},
        UpdateExpression="REMOVE body",
    )


@pytest.mark.thorough
def test_stack_is_deployed_used_and_removed_under_the_document_alone(
    root: Clients, config: StackConfig
) -> None:
    operator = as_operator(root, config)
    deployment = Deployment()

    deploy(operator, PROGRAM_DIRECTORY, config, deployment)
    stack = Stack(config.stack, deployment.outputs, operator)
    with EventSources(root.of_roles(), speed=60):
        verified = verify(stack, Quiet(), has_fault=config.stack == "dev", poll_seconds=0.2)
        operator("sqs").send_message(QueueUrl=stack["queue_url"], MessageBody="unreadable")
        root("sqs").send_message(
            QueueUrl=stack["dead_letter_queue_url"], MessageBody=order_created_body("by-hand", 5)
        )
        messages = list_dead_letters(stack).messages
        redriven = redrive(stack, 10, InboxState.UNAPPLIED, Wait(timeout_seconds=30))
        by_hand = root("sqs").send_message(
            QueueUrl=stack["dead_letter_queue_url"], MessageBody=order_created_body("by-hand", 5)
        )
        deleted = delete_messages(
            stack, [by_hand["MessageId"]], InboxState.APPLIED, is_dry_run=False, show=print
        )
        event_id = event_id_of(verified.order_ids[0])
        park(root, stack, event_id)
        correct(stack, event_id, order_created_body(verified.order_ids[0], FIRST_CENTS))
        if stack.outputs.get(QUEUE):
            root("sqs").send_message(QueueUrl=stack[QUEUE], MessageBody="of the relay")
            cleared = clear_failures(stack, list_failures(stack).batches, Reconciliation, margin_seconds=0)
            assert cleared == 1
    destroy(operator, deployment)

    assert [step for step in verified.steps if not step.ok] == []
    assert [each.state for each in messages] == ["unapplied"]
    assert redriven.ok
    assert deleted.ok
    refused = [
        (each.action, each.resource)
        for each in read_authorizations(root.endpoint)
        if each.role == ROLE and not each.allowed
    ]
    assert refused == []
