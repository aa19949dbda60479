"""Every input that the AWS provider has for a type we make: used, named as ignored, or refused by its name."""

import importlib
import logging
from typing import Any
from unittest.mock import MagicMock

import pulumi
import pytest
from pulumi._types import input_type_py_to_pulumi_names

from outbox_local.errors import UnsupportedResourceError
from outbox_local.resources import RESOURCE_TYPES, ResourceType, event_source_mapping
from tests.outbox_local.programs import Program

KINDS = pytest.mark.parametrize("kind", RESOURCE_TYPES.values(), ids=RESOURCE_TYPES)
LEAST_PROPERTIES = 200
CODE = pulumi.AssetArchive({"code.py": pulumi.StringAsset("handler = print")})
SAMPLES: dict[str, Any] = {
    "code": CODE,
    "runtime": "python3.14",
    "eventSourceArn": "arn:aws:sqs:us-east-1:123456789012:q",
    "ttl": {"attributeName": "expires_at", "enabled": True},
    "streamEnabled": True,
    "attributes": [],
    "globalSecondaryIndexes": [],
    "filterCriteria": {"filters": []},
    "tags": {},
    "dimensions": {},
    "dashboardBody": "{}",
    "policy": "{}",
}
OBJECTS = {
    name
    for kind in RESOURCE_TYPES.values()
    for name, inner in kind.schema.items()
    if inner and name not in SAMPLES
}


class Watched(dict[str, Any]):
    """Inputs that remember which of them were asked for."""

    def __init__(self, names: set[str]) -> None:
        super().__init__({name: SAMPLES.get(name, {} if name in OBJECTS else "1") for name in names})
        self.asked: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.asked.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.asked.add(name)
        return super().get(name, default)


COMPANY = """
import json, pulumi
from pulumi_aws import iam, lambda_
trust = {"Version": "2012-10-17", "Statement": [
    {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
]}
role = iam.Role(
    "role", assume_role_policy=json.dumps(trust), permissions_boundary="arn:aws:iam::123456789012:policy/company"
)
lambda_.Function(
    "function",
    role=role.arn, runtime="python3.14", handler="own.handle",
    code=pulumi.AssetArchive({"own.py": pulumi.StringAsset("def handle(event, context): return 1")}),
    vpc_config={"subnet_ids": ["subnet-1"], "security_group_ids": ["sg-1"]}, tracing_config={"mode": "Active"},
)
"""


def inputs_of(kind: ResourceType) -> set[str]:
    """The provider's own inputs of a type, by the names that the engine has."""
    module, name = kind.pulumi_type.split("/")[0].split(":")[1], kind.pulumi_type.rpartition(":")[2]
    package = importlib.import_module(f"pulumi_aws.{'lambda_' if module == 'lambda' else module}")
    return set(input_type_py_to_pulumi_names(getattr(package, f"{name}Args")).values())


@KINDS
def test_names_of_a_type_are_the_providers(kind: ResourceType) -> None:
    assert kind.schema.keys() - kind.computed.keys() <= inputs_of(kind)
    assert kind.ignored <= inputs_of(kind) - kind.schema.keys()


@KINDS
def test_property_that_a_type_knows_is_used(kind: ResourceType, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Watched(set(kind.schema))
    clients = MagicMock()
    clients().put_dashboard.return_value = {}
    monkeypatch.setattr(kind, "outputs", lambda *_: {})
    monkeypatch.setattr(event_source_mapping, "check_limits", lambda _: None)
    monkeypatch.setattr(event_source_mapping, "_check_source", lambda *_: None)

    kind.create(clients, "logical", given)

    assert kind.schema.keys() - given.asked == set()


def test_every_property_is_known_named_as_ignored_or_refused(caplog: pytest.LogCaptureFixture) -> None:
    tried = 0
    for kind in RESOURCE_TYPES.values():
        for name in inputs_of(kind):
            tried += 1
            caplog.clear()
            with caplog.at_level(logging.WARNING):
                try:
                    kind.check({name: {}})
                except UnsupportedResourceError as error:
                    answer = f"refused: {error}"
                else:
                    answer = caplog.text
            if name in kind.schema:
                assert not answer
            elif name in kind.ignored:
                assert f"ignores properties of {kind.pulumi_type}: {name}\n" in answer
            else:
                assert answer.startswith(f"refused: {kind.pulumi_type}: ")
                assert f"the property {name!r}" in answer
    assert tried >= LEAST_PROPERTIES


def test_program_with_a_companys_settings_stands_and_one_line_a_type_names_what_is_ignored(
    program: Program, caplog: pytest.LogCaptureFixture
) -> None:
    program.deploy(COMPANY)

    function = program.deployment.resources["aws:lambda/function:Function", "function"]
    found = program.clients("lambda").get_function_configuration(FunctionName=function.id)
    assert found["TracingConfig"] == {"Mode": "Active"}
    assert [
        record.getMessage() for record in caplog.records if record.name == "outbox_local.resources.base"
    ] == [
        "The local AWS ignores properties of aws:iam/role:Role: permissionsBoundary",
        "The local AWS ignores properties of aws:lambda/function:Function: vpcConfig",
    ]
