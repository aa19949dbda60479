"""The deployer: the real root program, and small programs that change one thing."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from local.clients import Clients
from local.deployer import Deployment, deploy, destroy
from local.errors import DeploymentError, ProgramError, UnsupportedResourceError
from local.paths import PROGRAM_DIRECTORY
from local.program import StackConfig, read_stack_config
from local.resources import RESOURCE_TYPES, resource_type
from tests.local.conftest import REGION, TRUST_POLICY

Change = tuple[str, str, str]
WALKTHROUGH_RESOURCES = {
    "aws:cloudwatch/logGroup:LogGroup": 3,
    "aws:dynamodb/table:Table": 2,
    "aws:iam/role:Role": 3,
    "aws:iam/rolePolicy:RolePolicy": 3,
    "aws:lambda/eventSourceMapping:EventSourceMapping": 2,
    "aws:lambda/function:Function": 3,
    "aws:sqs/queue:Queue": 2,
}
QUEUE = """
import pulumi
from pulumi_aws import sqs
queue = sqs.Queue('delivery', {arguments})
pulumi.export('url', queue.url)
"""
ENCRYPTED_TABLE = """
from pulumi_aws import dynamodb
dynamodb.Table('t', hash_key='PK', attributes=[{'name': 'PK', 'type': 'S'}], server_side_encryption={'enabled': True})
"""


class Program:
    """A program of a test's own, deployed and destroyed with it."""

    def __init__(self, clients: Clients, directory: Path) -> None:
        self.clients = clients
        self.directory = directory
        self.deployment = Deployment()

    def deploy(self, source: str) -> list[Change]:
        (self.directory / "__main__.py").write_text(source)
        changes: list[Change] = []
        config = StackConfig("example", "test", {"aws:region": REGION})
        deploy(self.clients, self.directory, config, self.deployment, lambda *change: changes.append(change))
        return changes

    def stands(self) -> list[dict[str, Any] | None]:
        return [
            resource_type(pulumi_type).read(self.clients, state.id, state.inputs)
            for (pulumi_type, _), state in self.deployment.resources.items()
        ]


@pytest.fixture
def program(clients: Clients, tmp_path: Path) -> Iterator[Program]:
    program = Program(clients, tmp_path)
    yield program
    destroy(clients, program.deployment)


@pytest.fixture(scope="module")
def walkthrough(clients: Clients) -> Iterator[Deployment]:
    deployment = Deployment()
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", {"aws:region": REGION})
    deploy(clients, PROGRAM_DIRECTORY, config, deployment)
    yield deployment
    destroy(clients, deployment)


def test_dev_stack_makes_the_walkthroughs_resources_and_no_other(walkthrough: Deployment) -> None:
    counts = walkthrough.count_by_type()

    assert counts == WALKTHROUGH_RESOURCES


def test_dev_stack_stands_in_the_emulator_with_the_walkthroughs_values(
    clients: Clients, walkthrough: Deployment
) -> None:
    outputs = walkthrough.outputs

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


def test_deploying_the_same_again_changes_nothing(clients: Clients, walkthrough: Deployment) -> None:
    changes: list[Change] = []
    config = read_stack_config(PROGRAM_DIRECTORY, "dev", {"aws:region": REGION})

    deploy(clients, PROGRAM_DIRECTORY, config, walkthrough, lambda *change: changes.append(change))

    assert changes == []


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


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("from pulumi_aws import s3\ns3.Bucket('b')", r"resource type 'aws:s3/bucket:Bucket'"),
        (
            QUEUE.format(arguments="kms_master_key_id='k'"),
            r"aws:sqs/queue:Queue: .* property 'kmsMasterKeyId'",
        ),
        (
            ENCRYPTED_TABLE,
            r"dynamodb/table:Table: .* property 'serverSideEncryption'",
        ),
    ],
)
def test_unknown_type_or_property_is_named_and_never_ignored(
    program: Program, source: str, message: str
) -> None:
    with pytest.raises(UnsupportedResourceError, match=message):
        program.deploy(source)

    assert program.deployment.resources == {}


def test_unknown_property_inside_a_group_is_named_with_its_path() -> None:
    inputs = {"filterCriteria": {"filters": [{"pattern": "{}", "patern": "{}"}]}}

    with pytest.raises(UnsupportedResourceError, match=r"'filterCriteria\.filters\.patern'"):
        resource_type("aws:lambda/eventSourceMapping:EventSourceMapping").check(inputs)


@pytest.mark.parametrize("kind", RESOURCE_TYPES.values(), ids=RESOURCE_TYPES)
def test_every_type_refuses_a_property_that_does_not_exist(kind: Any) -> None:
    with pytest.raises(UnsupportedResourceError, match=f"{kind.pulumi_type}.*'noSuchProperty'"):
        kind.check({"noSuchProperty": 1})


def test_look_up_is_refused_with_the_way_out(program: Program) -> None:
    source = "from pulumi_aws import get_caller_identity\nget_caller_identity()"

    with pytest.raises(ProgramError, match=r"answers no look-ups.*aws:index/getCallerIdentity"):
        program.deploy(source)


def test_mapping_of_a_role_that_may_not_read_is_refused_and_what_stands_can_be_removed(
    program: Program, clients: Clients
) -> None:
    source = f"""
import pulumi
from pulumi_aws import iam, lambda_, sqs
role = iam.Role('role', assume_role_policy={TRUST_POLICY!r})
code = pulumi.AssetArchive({{'a.py': pulumi.StringAsset('def handler(event, context): return None')}})
function = lambda_.Function('f', role=role.arn, handler='a.handler', runtime='python3.14', code=code)
queue = sqs.Queue('q', visibility_timeout_seconds=60)
lambda_.EventSourceMapping('m', event_source_arn=queue.arn, function_name=function.name)
"""

    with pytest.raises(DeploymentError, match=r"lacks sqs:ReceiveMessage, sqs:DeleteMessage"):
        program.deploy(source)

    standing = set(program.deployment.resources)
    destroy(clients, program.deployment)
    assert {name for _, name in standing} == {"role", "f", "q"}
    assert program.deployment.resources == {}


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("batch_size=11", "BatchSize is 11"),
        ("scaling_config={'maximum_concurrency': 1}", "MaximumConcurrency is 1"),
    ],
)
def test_mapping_outside_lambdas_limits_is_refused(program: Program, setting: str, message: str) -> None:
    source = f"""
import json, pulumi
from pulumi_aws import iam, lambda_, sqs
role = iam.Role('role', assume_role_policy={TRUST_POLICY!r})
code = pulumi.AssetArchive({{'a.py': pulumi.StringAsset('def handler(event, context): return None')}})
function = lambda_.Function('f', role=role.arn, handler='a.handler', runtime='python3.14', code=code)
queue = sqs.Queue('q', visibility_timeout_seconds=60)
lambda_.EventSourceMapping('m', event_source_arn=queue.arn, function_name=function.name, {setting})
"""

    with pytest.raises(DeploymentError, match=f"EventSourceMapping 'm'.*{message}"):
        program.deploy(source)


def test_program_that_refuses_its_configuration_gives_its_own_sentence(program: Program) -> None:
    with pytest.raises(ProgramError, match=r"^batchSize must be 1 to 10, not 11\.$"):
        program.deploy("raise ValueError('batchSize must be 1 to 10, not 11.')")


def test_stack_without_a_file_is_refused_with_those_there_are() -> None:
    with pytest.raises(ProgramError, match=r"no stack 'trial' here: choose one of dev, prod"):
        read_stack_config(PROGRAM_DIRECTORY, "trial", {})


def test_wrong_value_stops_before_anything_is_made(clients: Clients) -> None:
    deployment = Deployment()
    config = read_stack_config(
        PROGRAM_DIRECTORY, "dev", {"aws:region": REGION, "transactional-outbox:queueBatchSize": "0"}
    )

    with pytest.raises(ProgramError, match="queueBatchSize"):
        deploy(clients, PROGRAM_DIRECTORY, config, deployment)

    assert deployment.resources == {}


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("config: [", r"^Pulumi\.trial\.yaml is not YAML: "),
        ("- a list", r"^Pulumi\.trial\.yaml must be a mapping, and is a list\."),
        ("config: [1]", r"^Pulumi\.trial\.yaml has a config that is no mapping"),
        ("config:\n  key:\n", r"^key has no value: give one, or leave the key out\."),
        ("config:\n  key:\n    secure: x\n", r"^key is encrypted, which the local AWS cannot read"),
    ],
)
def test_stack_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: example\n")
    (tmp_path / "Pulumi.trial.yaml").write_text(content)

    with pytest.raises(ProgramError, match=sentence):
        read_stack_config(tmp_path, "trial", {})


@pytest.mark.parametrize("region", ["", "US East", "null", "eu-central"])
def test_region_that_is_none_is_refused_before_anything_starts(region: str) -> None:
    config = StackConfig("example", "trial", {"aws:region": region})

    with pytest.raises(ProgramError, match=r"as aws:region; accepted is a region's name such as .* --region"):
        _ = config.region


def test_program_that_was_refused_many_times_leaves_the_next_one_untouched(program: Program) -> None:
    for _ in range(20):
        with pytest.raises(ProgramError, match="no"):
            program.deploy(QUEUE.format(arguments="") + "raise ValueError('no')")

    program.deploy(QUEUE.format(arguments=""))

    assert program.stands() == [program.deployment.resources["aws:sqs/queue:Queue", "delivery"].outputs]
