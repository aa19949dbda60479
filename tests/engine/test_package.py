"""The components in other people's programs: as a Pulumi package in YAML, and installed with pip in Python."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.stack import WITHOUT_CACHES, copy_program
from outbox_cli.orders.sending import place
from outbox_cli.stack.deployed import Stack as OperatorStack
from outbox_cli.status.stored import Totals, plain_item, read_totals
from outbox_cli.waiting import Wait
from outbox_local.clients import Clients
from outbox_local.event_sources import EventSources
from tests.checkout import copy_checkout
from tests.engine.conftest import REGION
from tests.engine.harness import NOTHING, Stack, edit, standing
from tests.engine.printed import run_as_printed
from tools.repository import PROGRAM_DIRECTORY

CHECKOUT = "transactional-outbox"
EXAMPLES = PROGRAM_DIRECTORY / "examples"
STORED_SCHEMA = PROGRAM_DIRECTORY / "plugin" / "schema.json"
SPEED = 30.0
OWN_HANDLERS = """
name: elsewhere
runtime: yaml
packages: {{outbox: {plugin}}}
resources:
  mumbai:
    type: pulumi:providers:aws
    properties: {{region: ap-south-1}}
  shop:
    type: outbox:OutboxSource
    properties: {{code: mine, handler: pay.handle}}
    options: {{providers: ["${{mumbai}}"]}}
"""
REFUSED = """
name: elsewhere
runtime: yaml
packages: {{outbox: {plugin}}}
resources:
  shop: {{type: outbox:OutboxSource}}
  sales: {{type: outbox:IdempotentConsumer, properties: {{{sales}}}}}
  relay:
    type: outbox:Relay
    properties: {{streamArn: "${{shop.streamArn}}", queues: [{{url: "${{sales.queueUrl}}", arn: "${{{queue}}}"}}]}}
"""
TYPES = """
name: elsewhere
runtime: yaml
packages: {{outbox: {plugin}}}
resources:
  shop: {{type: outbox:OutboxSource}}
  sales: {{type: outbox:IdempotentConsumer, properties: {{publishes: true, eventTypes: [OrderCreated]}}}}
  audit: {{type: outbox:IdempotentConsumer, properties: {{vpc: {{subnetIds: [subnet-1], securityGroupIds: [sg-1]}}}}}}
  relay:
    type: outbox:Relay
    properties:
      streamArn: ${{shop.streamArn}}
      queues:
        - {{url: "${{sales.queueUrl}}", arn: "${{sales.queueArn}}", eventTypes: [OrderCreated]}}
        - {{url: "${{audit.queueUrl}}", arn: "${{audit.queueArn}}"}}
  published:
    type: outbox:Relay
    properties:
      streamArn: ${{sales.streamArn}}
      queues: [{{url: "${{audit.queueUrl}}", arn: "${{audit.queueArn}}"}}]
"""
WAIT = Wait(60)


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder of somebody else's, with nothing of this repository in it."""
    return tmp_path / "elsewhere"


def test_schema_that_the_engine_reads_from_the_plugin_is_the_stored_one(
    environment: dict[str, str], tmp_path: Path
) -> None:
    repository = copy_program(tmp_path / "repository", "plugin")
    stack = Stack("none", repository, environment)

    schema = json.loads(stack.pulumi("package", "get-schema", str(repository / "plugin")).stdout)

    stored = json.loads(STORED_SCHEMA.read_text())
    assert schema["version"] == stored["version"]
    assert interface(schema) == interface(stored)


def interface(schema: Any) -> Any:
    """The resources of a schema without what the engine leaves out: empty parts, and descriptions of list items."""

    def told(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        found = {key: told(inner) for key, inner in value.items() if inner not in ({}, [])}
        items = found.get("items")
        return found | ({"items": items.get("type") or items["$ref"]} if items else {})

    return told(schema["resources"])


@pytest.mark.thorough
def test_yaml_program_elsewhere_adds_the_package_as_printed_and_uses_it(
    environment: dict[str, str], clients: Clients, tmp_path: Path, elsewhere: Path
) -> None:
    checkout = copy_checkout(tmp_path / CHECKOUT)
    shutil.copytree(EXAMPLES / "yaml", elsewhere)
    edit(elsewhere / "Pulumi.yaml", "packages:\n  outbox: ../../plugin\n", "")

    run_as_printed(
        "(cd plugin && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)",
        checkout,
        environment,
    )
    run_as_printed("pulumi package add ../transactional-outbox/plugin", elsewhere, environment)
    stack = Stack("trial", elsewhere, environment).init(region=REGION)

    stack.up()
    stack.up("--expect-no-changes")
    with running_event_sources(clients):
        totals = {name: orders_counted(stack, clients, name) for name in ("books", "music")}
    stack.destroy()

    assert totals == {"books": Totals(1, 700), "music": Totals(1, 700)}
    assert standing(clients) == NOTHING


def test_yaml_program_uses_its_own_handlers_and_an_explicit_provider(
    environment: dict[str, str], clients: Clients, tmp_path: Path, elsewhere: Path
) -> None:
    repository = copy_program(tmp_path / "repository", "plugin")
    (elsewhere / "mine").mkdir(parents=True)
    (elsewhere / "mine" / "pay.py").write_text("def handle(event, context): ...\n")
    (elsewhere / "Pulumi.yaml").write_text(OWN_HANDLERS.format(plugin=repository / "plugin"))
    stack = Stack("trial", elsewhere, environment).init(region=REGION)

    stack.up()
    resources = stack.resources()
    stack.destroy()

    function = resources["shop-command-function"]["inputs"]
    assert (function["handler"], "pay.py" in function["code"]["assets"]) == ("pay.handle", True)
    assert resources["shop-source"]["outputs"]["arn"].split(":")[3] == "ap-south-1"
    assert standing(clients) == NOTHING


def test_yaml_program_gives_each_queue_its_types_and_a_consumer_a_vpc_and_publishes(
    environment: dict[str, str], clients: Clients, tmp_path: Path, elsewhere: Path
) -> None:
    repository = copy_program(tmp_path / "repository", "plugin")
    elsewhere.mkdir()
    (elsewhere / "Pulumi.yaml").write_text(TYPES.format(plugin=repository / "plugin"))
    stack = Stack("trial", elsewhere, environment).init(region=REGION)

    stack.preview()
    stack.up()
    stack.preview("--expect-no-changes")
    resources = stack.resources()
    stack.destroy()

    sales = resources["sales-queue"]["outputs"]["url"]
    variables = resources["relay-relay-function"]["inputs"]["environment"]["variables"]
    assert json.loads(variables["QUEUE_TYPES"]) == {sales: ["OrderCreated"]}
    vpc = resources["audit-consumer-function"]["inputs"]["vpcConfig"]
    assert (vpc["subnetIds"], vpc["securityGroupIds"]) == (["subnet-1"], ["sg-1"])
    assert resources["sales-projection"]["inputs"]["streamEnabled"] is True
    assert standing(clients) == NOTHING


@pytest.mark.parametrize(
    ("sales", "queue", "sentence"),
    [
        (
            "queueBatchSize: 20, queueBatchWindowSeconds: 0",
            "sales.queueArn",
            "queueBatchSize must be 1 to 10 without a batch window, but is 20",
        ),
        ("", "sales.queueUrl", "arn must be the ARN of a standard queue"),
    ],
    ids=["setting", "output of another resource"],
)
def test_yaml_program_is_told_in_one_sentence_what_a_component_refuses(
    environment: dict[str, str], elsewhere: Path, sales: str, queue: str, sentence: str
) -> None:
    repository = copy_program(elsewhere.with_name("repository"), "plugin")
    elsewhere.mkdir()
    text = REFUSED.format(plugin=repository / "plugin", sales=sales, queue=queue)
    (elsewhere / "Pulumi.yaml").write_text(text)
    stack = Stack("trial", elsewhere, environment).init(region=REGION)

    refused = stack.up(fails=True)

    assert f"has a problem: {sentence}" in refused.output
    assert "line " not in refused.output
    assert "Unexpected" not in refused.output


@pytest.mark.thorough
def test_python_program_elsewhere_installs_the_package_as_printed_and_uses_it(
    environment: dict[str, str], clients: Clients, tmp_path: Path, elsewhere: Path
) -> None:
    copy_checkout(tmp_path / CHECKOUT)
    shutil.copytree(EXAMPLES / "python", elsewhere, ignore=WITHOUT_CACHES)

    run_as_printed(
        "python3 -m venv .venv\n.venv/bin/pip install ../transactional-outbox", elsewhere, environment
    )
    stack = Stack("trial", elsewhere, environment).init(region=REGION)

    stack.up()
    stack.up("--expect-no-changes")
    with running_event_sources(clients):
        totals = orders_counted(stack, clients, "shop")
        level = article_level(stack, clients)
    stack.destroy()

    assert totals == Totals(1, 700)
    assert level == {"pieces": 30, "movements": 2}
    assert standing(clients) == NOTHING


def running_event_sources(clients: Clients) -> EventSources:
    return EventSources(clients.of_roles(), speed=SPEED)


def orders_counted(stack: Stack, clients: Clients, name: str) -> Totals:
    """The totals after an order that was placed twice."""
    operator = OperatorStack(name, stack.outputs()[name], clients)
    for _ in range(2):
        place(operator, {"order_id": "a-1", "amount_cents": 700})
    return WAIT.until(lambda: read_totals(operator), lambda seen: seen.order_count > 0)


def article_level(stack: Stack, clients: Clients) -> dict[str, Any]:
    """The level of an article after two movements, one of them sent twice."""
    operator = OperatorStack("stock", stack.outputs()["stock"], clients)
    for movement_id, pieces in (("m-1", 50), ("m-1", 50), ("m-2", -20)):
        place(operator, {"movement_id": movement_id, "article": "tea", "pieces": pieces})

    def level() -> dict[str, Any]:
        item = clients("dynamodb").get_item(
            TableName=operator["projection_table_name"],
            Key={"PK": {"S": "ARTICLE#tea"}, "SK": {"S": "LEVEL"}},
            ConsistentRead=True,
        )
        return {
            name: value
            for name, value in plain_item(item.get("Item", {})).items()
            if name in ("pieces", "movements")
        }

    return WAIT.until(level, lambda seen: seen.get("movements") == 2)
