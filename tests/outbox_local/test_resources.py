"""Resource types whose making takes several calls: a later one that fails leaves nothing behind."""

from typing import Any

import pulumi
import pytest

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError
from outbox_local.resources import resource_type
from tests.outbox_local.conftest import TRUST_POLICY

CODE = pulumi.AssetArchive({"code.py": pulumi.StringAsset("handler = print")})


@pytest.mark.parametrize(
    ("pulumi_type", "step", "inputs"),
    [
        ("aws:cloudwatch/logGroup:LogGroup", "_change", {"retentionInDays": 1}),
        (
            "aws:dynamodb/table:Table",
            "outputs",
            {
                "billingMode": "PAY_PER_REQUEST",
                "hashKey": "PK",
                "attributes": [{"name": "PK", "type": "S"}],
            },
        ),
        (
            "aws:lambda/function:Function",
            "_settle",
            {"code": CODE, "handler": "code.handler", "runtime": "python3.14"},
        ),
    ],
)
def test_resource_whose_making_fails_after_its_first_call_is_removed_again(
    clients: Clients, monkeypatch: pytest.MonkeyPatch, pulumi_type: str, step: str, inputs: dict[str, Any]
) -> None:
    kind, name = resource_type(pulumi_type), f"unfinished-{step}"
    role = resource_type("aws:iam/role:Role").create(clients, name, {"assumeRolePolicy": TRUST_POLICY})

    def fail(*_: object) -> None:
        raise DeploymentError("a later call failed")

    monkeypatch.setattr(kind, step, fail)
    with pytest.raises(DeploymentError, match="a later call failed"):
        kind.create(clients, name, inputs | {"name": name, "role": role.outputs["arn"]})

    monkeypatch.undo()
    assert kind.read(clients, name, {}) is None
