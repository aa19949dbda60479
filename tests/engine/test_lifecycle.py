"""Life of a stack: deploy, deploy again, change a setting, edit a handler, tear down."""

import compileall
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from outbox_local.clients import Clients
from tests.engine.harness import NOTHING, Stack, standing
from tools.repository import PROGRAM_DIRECTORY

PROJECT = "transactional-outbox"
WHOLE_STACK = {"tables": 2, "queues": 2, "roles": 3, "functions": 3, "mappings": 2, "log groups": 3}
EXPECT_NO_CHANGES = "--expect-no-changes"

TABLES_WITH_ANOTHER_KEY = """
import pulumi

def with_another_key(resource):
    if resource.type_ != "aws:dynamodb/table:Table":
        return None
    names = ["SORT" if each["name"] == "SK" else each["name"] for each in resource.props["attributes"]]
    changed = {"range_key": "SORT", "attributes": [{"name": each, "type": "S"} for each in names]}
    return pulumi.ResourceTransformationResult(resource.props | changed, resource.opts)

pulumi.runtime.register_stack_transformation(with_another_key)
"""
ELSEWHERE = """
import pulumi
from pulumi_aws import Provider

from components import IdempotentConsumer, OutboxSource, Relay

elsewhere = pulumi.ResourceOptions(provider=Provider("elsewhere", region="ap-south-1"))
source = OutboxSource("orders", {}, elsewhere)
consumer = IdempotentConsumer("sales", {}, elsewhere)
queues = {"queues": [consumer.queue]}
Relay("orders", {"stream_arn": source.stream_arn, **queues}, elsewhere)
"""


def test_up_of_the_dev_stack_from_nothing_makes_everything_and_again_nothing(
    dev: Stack, clients: Clients
) -> None:
    dev.up()

    assert {kind: len(found) for kind, found in standing(clients).items()} == WHOLE_STACK
    dev.up(EXPECT_NO_CHANGES)
    dev.preview(EXPECT_NO_CHANGES)


def test_only_an_edit_of_a_handler_changes_a_function_and_that_in_place(dev: Stack, program: Path) -> None:
    dev.up()
    before = dev.ids()
    handlers = program / "handlers"

    compileall.compile_dir(handlers, quiet=1)
    (handlers / ".DS_Store").write_bytes(b"\0")
    (handlers / "test_beside.py").write_text("def test_nothing(): pass\n")
    for source in handlers.rglob("*.py"):
        source.write_bytes(source.read_bytes().replace(b"\n", b"\r\n"))
        os.utime(source, (0, 0))
    dev.preview(EXPECT_NO_CHANGES)
    dev.up(EXPECT_NO_CHANGES)
    with (handlers / "relay.py").open("a") as relay:
        relay.write("EDITED = True\n")
    planned = dev.planned()
    dev.up()

    assert list(handlers.rglob("*.pyc"))
    assert planned == {"orders-relay-function": "update"}
    assert dev.ids() == before


def test_changed_settings_update_in_place(dev: Stack, clients: Clients) -> None:
    dev.up()
    before = dev.ids()
    dev.configure(f"{PROJECT}:queueBatchSize", "5")
    dev.configure(f"{PROJECT}:visibilityTimeoutSeconds", "90")
    dev.configure(f"{PROJECT}:queueRetentionSeconds", "172800")

    planned = dev.planned()
    dev.up()

    mapping = clients("lambda").get_event_source_mapping(UUID=before["sales-consumer-mapping"])
    queue = clients("sqs").get_queue_attributes(QueueUrl=before["sales-queue"], AttributeNames=["All"])
    assert planned == {"sales-consumer-mapping": "update", "sales-queue": "update"}
    assert dev.ids() == before
    assert mapping["BatchSize"] == 5
    assert queue["Attributes"]["VisibilityTimeout"] == "90"
    assert queue["Attributes"]["MessageRetentionPeriod"] == "172800"


def test_changed_table_key_plans_a_replacement_which_protection_stops(
    prod: Stack, program: Path, clients: Clients
) -> None:
    prod.up()
    before = standing(clients)
    main = program / "__main__.py"
    main.write_text(TABLES_WITH_ANOTHER_KEY + main.read_text())

    previewed = prod.preview(fails=True)
    updated = prod.up(fails=True)

    # Both tables have the key; the engine stops at whichever it comes to first.
    tables = "(orders-source|sales-projection)"
    refusal = rf'unable to replace resource "[^"]*::{tables}"\s+as it is currently marked for protection'
    assert re.search(refusal, previewed.output)
    assert re.search(refusal, updated.output)
    assert standing(clients) == before


def test_destroy_of_a_protected_stack_is_refused_until_protection_is_off(
    prod: Stack, clients: Clients
) -> None:
    prod.up()

    refused = prod.destroy(fails=True)
    prod.configure(f"{PROJECT}:protectTables", "false")
    prod.up()
    prod.destroy()

    assert "protect" in refused.output
    assert standing(clients) == NOTHING


def test_refresh_after_a_change_by_hand_shows_the_drift_and_up_mends_it(dev: Stack, clients: Clients) -> None:
    dev.up()
    queue_url = dev.ids()["sales-queue"]
    clients("sqs").set_queue_attributes(QueueUrl=queue_url, Attributes={"VisibilityTimeout": "77"})

    seen = dev.pulumi("refresh", "--yes", "--skip-preview", "--diff")
    dev.up()

    found = clients("sqs").get_queue_attributes(QueueUrl=queue_url, AttributeNames=["VisibilityTimeout"])
    assert re.search(r"visibilityTimeoutSeconds\s*: 60 => 77", seen.output)
    assert found["Attributes"]["VisibilityTimeout"] == "60"
    dev.pulumi("refresh", "--yes", "--skip-preview", EXPECT_NO_CHANGES)


def test_refresh_notices_what_was_deleted_by_hand_and_up_makes_it_again(dev: Stack, clients: Clients) -> None:
    dev.up()
    clients("sqs").delete_queue(QueueUrl=dev.ids()["sales-dead-letter-queue"])

    dev.pulumi("refresh", "--yes", "--skip-preview")
    dev.up()

    assert {kind: len(found) for kind, found in standing(clients).items()} == WHOLE_STACK


def test_existing_resource_is_imported_as_it_stands(dev: Stack, program: Path, clients: Clients) -> None:
    url = clients("sqs").create_queue(QueueName="by-hand", Attributes={"VisibilityTimeout": "33"})["QueueUrl"]
    table = "by-hand"
    clients("dynamodb").create_table(
        TableName=table,
        AttributeDefinitions=[{"AttributeName": "PK", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "PK", "KeyType": "HASH"}],
        BillingMode="PAY_PER_REQUEST",
    )
    (program / "__main__.py").write_text(f"""
import pulumi
from pulumi_aws import dynamodb, sqs
sqs.Queue("by-hand", name="by-hand", visibility_timeout_seconds=33, opts=pulumi.ResourceOptions(import_={url!r}))
dynamodb.Table(
    "table", name={table!r}, billing_mode="PAY_PER_REQUEST", hash_key="PK", attributes=[{{"name": "PK", "type": "S"}}],
    opts=pulumi.ResourceOptions(import_={table!r}),
)
""")

    dev.up()

    assert dev.ids() == {"by-hand": url, "table": table}
    assert "inputs to import do not match" not in dev.preview(EXPECT_NO_CHANGES).output


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        ("aws:lambda/eventSourceMapping:EventSourceMapping", "create"),
        ("aws:cloudwatch/logGroup:LogGroup", "_complete"),
    ],
)
def test_up_that_failed_in_the_middle_is_ended_by_the_next_one(
    dev: Stack, clients: Clients, tmp_path: Path, kind: str, step: str
) -> None:
    """A step after the first call fails as well as the first: no resource may be left that no state knows."""
    faulty = faulty_provider(tmp_path / "faulty", kind, step)

    failed = dev.up(fails=True, PATH=f"{faulty}{os.pathsep}{dev.environment['PATH']}")
    dev.up()

    assert "FAULT IN THE PROVIDER" in failed.output
    assert {name: len(found) for name, found in standing(clients).items()} == WHOLE_STACK
    dev.up(EXPECT_NO_CHANGES)


def faulty_provider(folder: Path, kind: str, step: str) -> Path:
    """A folder with an AWS provider in which one step of one resource type always fails."""
    folder.mkdir()
    executable = folder / "pulumi-resource-aws"
    executable.write_text(f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(PROGRAM_DIRECTORY)!r})
from engine.provider import main
from outbox_local.errors import DeploymentError
from outbox_local.resources import resource_type

def fail(*_):
    raise DeploymentError("FAULT IN THE PROVIDER")

setattr(resource_type({kind!r}), {step!r}, fail)
main()
""")
    executable.chmod(0o755)
    return folder


def test_destroy_leaves_nothing_not_even_what_a_late_invocation_logs(
    dev: Stack, program: Path, clients: Clients, tmp_path: Path
) -> None:
    begun, may_end = tmp_path / "begun", tmp_path / "may-end"
    (program / "handlers" / "command.py").write_text(f"""
import pathlib, time
def lambda_handler(event, context):
    pathlib.Path({str(begun)!r}).touch()
    while not pathlib.Path({str(may_end)!r}).exists():
        time.sleep(0.05)
    print("LATE")
""")
    dev.configure(f"{PROJECT}:functionTimeoutSeconds", "100")
    dev.configure(f"{PROJECT}:visibilityTimeoutSeconds", "600")
    dev.up()
    function = dev.ids()["orders-command-function"]

    with ThreadPoolExecutor() as executor:
        late = executor.submit(clients("lambda").invoke, FunctionName=function)
        while not begun.exists() and not late.done():
            time.sleep(0.05)
        dev.destroy()
        may_end.touch()
        late.result()

    assert begun.exists()
    assert standing(clients) == NOTHING
    dev.up()


def test_two_stacks_in_one_account_do_not_collide(
    dev: Stack, program: Path, environment: dict[str, str], clients: Clients
) -> None:
    other = Stack("other", program, environment).init(region=clients.region)
    dev.up()
    other.up()
    of_other = set(other.ids().values())

    dev.destroy()

    left = standing(clients)
    # Without a stack file it has the defaults, and with them a failure queue.
    assert {kind: len(found) for kind, found in left.items()} == WHOLE_STACK | {"queues": 3}
    assert {name for found in left.values() for name in found} <= of_other
    other.up(EXPECT_NO_CHANGES)


def test_explicit_provider_in_another_region_reaches_every_child(dev: Stack, program: Path) -> None:
    (program / "__main__.py").write_text(ELSEWHERE)

    dev.up()

    found = dev.resources()
    arns = [each["outputs"]["arn"] for each in found.values() if ":iam/" not in each["type"]]
    documents = [each["inputs"]["policy"] for each in found.values() if "policy" in each["inputs"]]
    assert len(arns) == 13
    assert {arn.split(":")[3] for arn in arns} == {"ap-south-1"}
    assert len(documents) == 3
    assert all("ap-south-1" in document and "eu-central-1" not in document for document in documents)


def test_stack_without_a_region_is_refused(program: Path, environment: dict[str, str]) -> None:
    stack = Stack("prod", program, environment).init()

    refused = stack.up(fails=True)

    assert "aws:region" in refused.output
