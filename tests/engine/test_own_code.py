"""Variables and rights of users' own code on the real engine, in Python and in YAML: with the pack, and in use."""

import json
from pathlib import Path
from typing import Any

import pytest

from engine.stack import copy_program
from outbox_local.clients import Clients
from tests.engine.conftest import REGION
from tests.engine.harness import Stack, edit, findings

PYTHON_PROJECT = "name: shop\nruntime: python\n"
PYTHON = """
from components import OutboxSource

ledger = OutboxSource("ledger", {})
OutboxSource(
    "shop",
    {
        "code": "mine",
        "handler": "pay.handle",
        "environment": {"LEDGER_TABLE": ledger.table_name},
        "statements": [
            {"sid": "WriteLedger", "actions": ["dynamodb:PutItem"], "resources": [ledger.table_arn]},
        ],
    },
)
"""
YAML = """
name: shop
runtime: yaml
packages: {{outbox: {plugin}}}
resources:
  ledger: {{type: outbox:OutboxSource}}
  shop:
    type: outbox:OutboxSource
    properties:
      code: mine
      handler: pay.handle
      environment: {{LEDGER_TABLE: "${{ledger.tableName}}"}}
      statements:
        - {{sid: WriteLedger, actions: ["dynamodb:PutItem"], resources: ["${{ledger.tableArn}}"]}}
"""
PAY = """
import os

import boto3


def handle(event, context):
    item = {"PK": {"S": "PAID#1"}, "SK": {"S": "STATE"}}
    boto3.client("dynamodb").put_item(TableName=os.environ["LEDGER_TABLE"], Item=item)
"""
ADDITION = {
    "sid": "WriteLedger",
    "actions": ["dynamodb:PutItem"],
    "place": "table",
    "variables": ["LEDGER_TABLE"],
}
ONE_RIGHT_MORE = '["dynamodb:PutItem", "dynamodb:DeleteItem"]'


@pytest.fixture(params=["python", "yaml"])
def program_file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The file that has the statements, in a program beside the components."""
    folder = copy_program(tmp_path / "repository", "plugin", "policy")
    (folder / "mine").mkdir()
    (folder / "mine" / "pay.py").write_text(PAY)
    for configuration in folder.glob("Pulumi.*.yaml"):
        configuration.unlink()
    project, program = folder / "Pulumi.yaml", folder / "__main__.py"
    project.write_text(YAML.format(plugin=folder / "plugin") if request.param == "yaml" else PYTHON_PROJECT)
    program.write_text(PYTHON)
    return project if request.param == "yaml" else program


def test_pack_accepts_the_added_rights_at_every_run_and_the_function_can_use_them(
    program_file: Path, environment: dict[str, str], clients: Clients, tmp_path: Path
) -> None:
    stack = Stack("trial", program_file.parent, environment).init(region=REGION)
    configuration = tmp_path / "policy.json"
    additions: dict[str, Any] = {"shop-command-function": [ADDITION]}
    configuration.write_text(json.dumps({"lambda-role-least-privilege": {"additions": additions}}))
    pack = ("--policy-pack", str(program_file.parent / "policy"))
    configured = (*pack, "--policy-pack-config", str(configuration))

    answers = [stack.preview(*configured), stack.up(*configured), stack.preview(*configured)]
    [name] = [
        each for each in clients("lambda").list_functions()["Functions"] if "shop" in each["FunctionName"]
    ]
    invoked = clients("lambda").invoke(FunctionName=name["FunctionName"], Payload=b"{}")
    unconfigured = stack.preview(*pack, fails=True)
    edit(program_file, '["dynamodb:PutItem"]', ONE_RIGHT_MORE)
    one_more = stack.preview(*configured, fails=True)

    assert [findings(answer) for answer in answers] == [[], [], []]
    assert "FunctionError" not in invoked, invoked["Payload"].read()
    assert "WriteLedger declares dynamodb:PutItem beyond it" in unconfigured.output
    assert "WriteLedger declares dynamodb:DeleteItem beyond it" in one_more.output
