"""Refusals of the deployer, each in a sentence that names it, and before anything is made."""

from pathlib import Path

import pulumi
import pytest

from outbox_local.clients import Clients
from outbox_local.errors import ProgramError, UnsupportedResourceError
from outbox_local.program import StackConfig, read_stack_config
from outbox_local.resources import resource_type
from tests.outbox_local.programs import QUEUE, Program
from tools.repository import PROGRAM_DIRECTORY

REPLICATED_TABLE = """
from pulumi_aws import dynamodb
dynamodb.Table('t', hash_key='PK', attributes=[{'name': 'PK', 'type': 'S'}], replicas=[{'region_name': 'eu-west-1'}])
"""


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("from pulumi_aws import s3\ns3.Bucket('b')", r"resource type 'aws:s3/bucket:Bucket'"),
        (
            QUEUE.format(arguments="fifo_queue=True"),
            r"aws:sqs/queue:Queue: .* property 'fifoQueue'",
        ),
        (
            REPLICATED_TABLE,
            r"dynamodb/table:Table: .* property 'replicas\.regionName'|'replicas'",
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


def test_function_of_another_language_is_refused(clients: Clients) -> None:
    inputs = {
        "runtime": "nodejs22.x",
        "code": pulumi.AssetArchive({}),
        "role": "r",
        "handler": "index.handler",
    }

    with pytest.raises(
        UnsupportedResourceError, match=r"runs Python, and the function's runtime is 'nodejs22\.x'"
    ):
        resource_type("aws:lambda/function:Function").create(clients, "other", inputs)


def test_look_up_is_refused_with_the_way_out(program: Program) -> None:
    source = "from pulumi_aws import get_caller_identity\nget_caller_identity()"

    with pytest.raises(ProgramError, match=r"answers no look-ups.*aws:index/getCallerIdentity"):
        program.deploy(source)


def test_program_that_refuses_its_configuration_gives_its_own_sentence(program: Program) -> None:
    with pytest.raises(ProgramError, match=r"^batchSize must be 1 to 10, not 11\.$"):
        program.deploy("raise ValueError('batchSize must be 1 to 10, not 11.')")


def test_stack_without_a_file_is_refused_with_those_there_are() -> None:
    with pytest.raises(ProgramError, match=r"no stack 'trial' here: choose one of dev, prod"):
        read_stack_config(PROGRAM_DIRECTORY, "trial", {})


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("config: [", r"Pulumi\.trial\.yaml is no YAML: "),
        ("- a list", r"Pulumi\.trial\.yaml must be a mapping, but is a list\."),
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

    with pytest.raises(ProgramError, match=r"aws:region of .* must be a region's name such as .* --region"):
        _ = config.region


def test_program_that_was_refused_many_times_leaves_the_next_one_untouched(program: Program) -> None:
    for _ in range(20):
        with pytest.raises(ProgramError, match="no"):
            program.deploy(QUEUE.format(arguments="") + "raise ValueError('no')")

    program.deploy(QUEUE.format(arguments=""))

    assert program.stands() == [program.deployment.resources["aws:sqs/queue:Queue", "delivery"].outputs]
