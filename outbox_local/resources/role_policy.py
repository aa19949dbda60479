"""The resource type `aws.iam.RolePolicy`."""

import contextlib
import json
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import LEAF, Created, Properties, ResourceType, Schema, physical_name


class RolePolicy(ResourceType):
    """One inline policy of a role; its id is `role:name`, as in the AWS provider."""

    pulumi_type = "aws:iam/rolePolicy:RolePolicy"
    schema: ClassVar[Schema] = {"name": LEAF, "role": LEAF, "policy": LEAF}
    replaced_on = frozenset({"name", "role"})
    required = frozenset({"role", "policy"})

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        resource_id = f"{inputs['role']}:{physical_name(logical_name, inputs)}"
        return Created(resource_id, self.update(clients, resource_id, {}, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        role, name = resource_id.split(":", 1)
        iam = clients("iam")
        try:
            document = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        except iam.exceptions.NoSuchEntityException:
            return None
        # botocore parses the document; one that says the same keeps the spelling it was given in.
        same = "policy" in inputs and json.loads(inputs["policy"]) == document
        policy = inputs["policy"] if same else json.dumps(document)
        return inputs | {"name": name, "role": role, "policy": policy}

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """See the base class."""
        role, name = resource_id.split(":", 1)
        clients("iam").put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=new["policy"])
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        role, name = resource_id.split(":", 1)
        iam = clients("iam")
        with contextlib.suppress(iam.exceptions.NoSuchEntityException):
            iam.delete_role_policy(RoleName=role, PolicyName=name)
