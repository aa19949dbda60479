"""A change of a function's variables reaches each invocation after it, and interrupts none."""

import json
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from ministack.core.lambda_runtime import acquire_worker
from ministack.services import lambda_svc

from outbox_local.clients import Clients
from outbox_local.emulator.execution_environments import release
from tests.outbox_local.emulated import eventually
from tests.outbox_local.programs import Program

FUNCTION = """
import json
import pulumi
from pulumi_aws import iam, lambda_
principal = {{'Service': 'lambda.amazonaws.com'}}
statement = {{'Effect': 'Allow', 'Principal': principal, 'Action': 'sts:AssumeRole'}}
role = iam.Role('role', assume_role_policy=json.dumps({{'Version': '2012-10-17', 'Statement': [statement]}}))
lambda_.Function('variables', name={name!r}, role=role.arn, runtime='python3.11', handler='index.handler', timeout=60,
    code=pulumi.AssetArchive({{'index.py': pulumi.StringAsset({source!r})}}),
    environment={{'variables': {{'VALUE': 'before'}}}})
"""
SOURCE = """
import os, pathlib, time

def handler(event, context):
    if event:
        pathlib.Path(event['began']).touch()
        while not pathlib.Path(event['may_end']).exists():
            time.sleep(0.01)
    return os.environ['VALUE']
"""


@pytest.fixture
def function(program: Program, fresh_name: Callable[[str], str]) -> str:
    name = fresh_name("variables")
    program.deploy(FUNCTION.format(name=name, source=SOURCE))
    return name


def invoked(clients: Clients, name: str, event: dict[str, str] | None = None) -> Any:
    answer = clients("lambda").invoke(FunctionName=name, Payload=json.dumps(event))
    return json.load(answer["Payload"])


def test_invocation_that_runs_during_a_change_ends_with_the_old_variables_and_the_next_has_the_new(
    clients: Clients, function: str, tmp_path: Path
) -> None:
    began, may_end = tmp_path / "began", tmp_path / "may-end"
    with ThreadPoolExecutor() as executor:
        slow = executor.submit(invoked, clients, function, {"began": str(began), "may_end": str(may_end)})
        assert eventually(began.exists)

        clients("lambda").update_function_configuration(
            FunctionName=function, Environment={"Variables": {"VALUE": "after"}}
        )
        beside = invoked(clients, function)
        may_end.touch()

        assert slow.result() == "before"
    assert [beside, invoked(clients, function), invoked(clients, function)] == ["after"] * 3


@pytest.mark.parametrize(("revision_now", "is_kept"), [("first", True), ("second", False), (None, False)])
def test_environment_begun_with_a_configuration_from_before_a_change_is_used_once(
    revision_now: str | None, is_kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = uuid.uuid4().hex
    read_before = {
        "FunctionArn": f"arn:aws:lambda:us-east-1:000000000000:function:{name}",
        "RevisionId": "first",
    }
    if revision_now:
        monkeypatch.setitem(
            lambda_svc._functions, name, {"config": read_before | {"RevisionId": revision_now}}
        )
    environment, _ = acquire_worker(name, read_before, b"")

    release(environment)

    again, _ = acquire_worker(name, read_before, b"")
    assert (again is environment) == is_kept
