"""The resource type `aws.lambda.Permission`."""

import json
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    physical_name,
    without_nones,
)


class Permission(ResourceType):
    """One statement of a function's policy; its id is `function/statement`. Nothing of it changes in place."""

    pulumi_type = "aws:lambda/permission:Permission"
    schema: ClassVar[Schema] = dict.fromkeys(
        ("action", "function", "principal", "sourceArn", "sourceAccount", "statementId"), LEAF
    )
    replaced_on = frozenset(schema)
    required = frozenset({"action", "function", "principal"})
    computed: ClassVar[Computed] = {"statementId": frozenset()}

    def _id(self, logical_name: str, inputs: Properties) -> str:
        return f"{inputs['function']}/{physical_name(logical_name, {'name': inputs.get('statementId')})}"

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        function, statement = resource_id.split("/")
        policy = json.loads(clients("lambda").get_policy(FunctionName=function)["Policy"])
        if statement not in [each["Sid"] for each in policy["Statement"]]:
            return None
        return inputs | {"function": function, "statementId": statement}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """Adds the statement: every other value of a property makes a new one."""
        function, statement = resource_id.split("/")
        clients("lambda").add_permission(
            FunctionName=function,
            StatementId=statement,
            Action=new["action"],
            Principal=new["principal"],
            **without_nones({"SourceArn": new.get("sourceArn"), "SourceAccount": new.get("sourceAccount")}),
        )

    def _remove(self, clients: Clients, resource_id: str) -> None:
        function, statement = resource_id.split("/")
        clients("lambda").remove_permission(FunctionName=function, StatementId=statement)
