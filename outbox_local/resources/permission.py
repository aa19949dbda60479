"""The resource type `aws.lambda.Permission`."""

import contextlib
import json
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    LEAF,
    Created,
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
    computed: ClassVar[dict[str, frozenset[str]]] = {"statementId": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        statement = physical_name(logical_name, {"name": inputs.get("statementId")})
        clients("lambda").add_permission(
            FunctionName=inputs["function"],
            StatementId=statement,
            Action=inputs["action"],
            Principal=inputs["principal"],
            **without_nones(
                {"SourceArn": inputs.get("sourceArn"), "SourceAccount": inputs.get("sourceAccount")}
            ),
        )
        resource_id = f"{inputs['function']}/{statement}"
        return Created(resource_id, self.outputs(clients, resource_id, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        function, statement = resource_id.split("/")
        functions = clients("lambda")
        try:
            policy = json.loads(functions.get_policy(FunctionName=function)["Policy"])
        except functions.exceptions.ResourceNotFoundException:
            return None
        if statement not in [each["Sid"] for each in policy["Statement"]]:
            return None
        return inputs | {"function": function, "statementId": statement}

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """Nothing: every property makes a new one."""
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        function, statement = resource_id.split("/")
        functions = clients("lambda")
        with contextlib.suppress(functions.exceptions.ResourceNotFoundException):
            functions.remove_permission(FunctionName=function, StatementId=statement)
