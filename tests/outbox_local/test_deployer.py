"""The deployer: the real root program, and small programs that change one thing."""

from collections.abc import Callable

import pytest

from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy, destroy
from outbox_local.errors import DeploymentError
from outbox_local.program import read_stack_config
from tests.outbox_local.conftest import REGION, TRUST_POLICY, WITH_RECONCILER
from tests.outbox_local.programs import QUEUE, Change, Program
from tools.repository import PROGRAM_DIRECTORY

TABLE = """
from pulumi_aws import dynamodb
dynamodb.Table('t', billing_mode='PAY_PER_REQUEST', hash_key='PK', attributes=[{{'name': 'PK', 'type': 'S'}}],
    deletion_protection_enabled={is_protected})
"""


def test_dev_stack_stands_in_the_emulator_with_the_walkthroughs_values(
    clients: Clients, dev_deployment: Deployment
) -> None:
    outputs = dev_deployment.outputs

    queue = clients("sqs").get_queue_attributes(QueueUrl=outputs["queue_url"], AttributeNames=["All"])[
        "Attributes"
    ]
    consumer = clients("lambda").get_function_configuration(FunctionName=outputs["consumer_function_name"])
    relay = clients("lambda").get_event_source_mapping(UUID=outputs["relay_mapping_uuid"])

    assert (queue["VisibilityTimeout"], queue["MessageRetentionPeriod"]) == ("60", "86400")
    assert (consumer["MemorySize"], consumer["Timeout"]) == (256, 10)
    assert consumer["Environment"]["Variables"] == {"PROJECTION_TABLE": outputs["projection_table_name"]}
    assert (relay["MaximumRetryAttempts"], relay["MaximumRecordAgeInSeconds"]) == (100, 3600)
    assert f":{REGION}:" in relay["EventSourceArn"]


def test_deploying_the_same_again_changes_nothing(clients: Clients, dev_deployment: Deployment) -> None:
    changes: list[Change] = []
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", WITH_RECONCILER)

    deploy(clients, PROGRAM_DIRECTORY, config, dev_deployment, lambda *change: changes.append(change))

    assert changes == []


@pytest.mark.thorough
def test_prod_stack_deploys_and_is_protected_from_destruction(clients: Clients) -> None:
    deployment = Deployment()
    config = read_stack_config(PROGRAM_DIRECTORY, "prod", {"aws:region": REGION})
    deploy(clients, PROGRAM_DIRECTORY, config, deployment)

    with pytest.raises(DeploymentError, match=r"dynamodb/table:Table .* protect"):
        destroy(clients, deployment)

    unprotected = read_stack_config(
        PROGRAM_DIRECTORY, "prod", {"aws:region": REGION, "transactional-outbox:protectTables": "false"}
    )
    deploy(clients, PROGRAM_DIRECTORY, unprotected, deployment)
    destroy(clients, deployment)
    assert deployment.resources == {}


def test_protected_table_is_not_destroyed_until_its_protection_goes(
    program: Program, clients: Clients
) -> None:
    program.deploy(TABLE.format(is_protected=True))

    with pytest.raises(DeploymentError, match=r"dynamodb/table:Table .* protect"):
        destroy(clients, program.deployment)

    program.deploy(TABLE.format(is_protected=False))
    destroy(clients, program.deployment)
    assert program.deployment.resources == {}


def test_changed_setting_updates_in_place(program: Program, clients: Clients) -> None:
    program.deploy(QUEUE.format(arguments="visibility_timeout_seconds=30"))
    url = program.deployment.outputs["url"]

    changes = program.deploy(QUEUE.format(arguments="visibility_timeout_seconds=45"))

    found = clients("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])[
        "Attributes"
    ]
    assert changes == [("update", "aws:sqs/queue:Queue", "delivery")]
    assert program.deployment.outputs["url"] == url
    assert found == {"VisibilityTimeout": "45"}


def test_changed_name_replaces_and_removes_the_old_one(
    program: Program, clients: Clients, fresh_name: Callable[[str], str]
) -> None:
    old, new = fresh_name("old"), fresh_name("new")
    program.deploy(QUEUE.format(arguments=f"name={old!r}"))

    changes = program.deploy(QUEUE.format(arguments=f"name={new!r}"))

    urls = clients("sqs").list_queues().get("QueueUrls", [])
    names = {url.rsplit("/", 1)[1] for url in urls}
    assert [what for what, _, _ in changes] == ["replace"]
    assert new in names
    assert old not in names


def test_resource_left_out_of_the_program_is_removed(program: Program) -> None:
    program.deploy(QUEUE.format(arguments=""))

    changes = program.deploy("import pulumi\n")

    assert changes == [("delete", "aws:sqs/queue:Queue", "delivery")]
    assert program.deployment.resources == {}


def test_edited_handler_updates_the_function_in_place(program: Program, clients: Clients) -> None:
    source = f"""
import pulumi
from pulumi_aws import iam, lambda_
role = iam.Role('role', assume_role_policy={TRUST_POLICY!r})
code = pulumi.AssetArchive({{'answer.py': pulumi.StringAsset('def handler(event, context): return ANSWER')}})
function = lambda_.Function('answer', role=role.arn, handler='answer.handler', runtime='python3.14', code=code)
pulumi.export('name', function.name)
"""
    program.deploy(source.replace("ANSWER", "1"))
    name = program.deployment.outputs["name"]

    changes = program.deploy(source.replace("ANSWER", "2"))

    answer = clients("lambda").invoke(FunctionName=name)["Payload"].read()
    assert changes == [("update", "aws:lambda/function:Function", "answer")]
    assert (program.deployment.outputs["name"], answer) == (name, b"2")
