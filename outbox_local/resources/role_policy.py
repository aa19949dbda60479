"""The resource type `aws.iam.RolePolicy`."""

import json
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import LEAF, Properties, ResourceType, Schema, physical_name


class RolePolicy(ResourceType):
    """One inline policy of a role; its id is `role:name`, as in the AWS provider."""

    pulumi_type = "aws:iam/rolePolicy:RolePolicy"
    schema: ClassVar[Schema] = {"name": LEAF, "role": LEAF, "policy": LEAF}
    replaced_on = frozenset({"name", "role"})
    required = frozenset({"role", "policy"})

    def _id(self, logical_name: str, inputs: Properties) -> str:
        return f"{inputs['role']}:{physical_name(logical_name, inputs)}"

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        role, name = resource_id.split(":", 1)
        document = clients("iam").get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        # botocore parses the document; one that says the same keeps the spelling it was given in.
        same = "policy" in inputs and json.loads(inputs["policy"]) == document
        policy = inputs["policy"] if same else json.dumps(document)
        return inputs | {"name": name, "role": role, "policy": policy}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        role, name = resource_id.split(":", 1)
        clients("iam").put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=new["policy"])

    def _remove(self, clients: Clients, resource_id: str) -> None:
        role, name = resource_id.split(":", 1)
        clients("iam").delete_role_policy(RoleName=role, PolicyName=name)
