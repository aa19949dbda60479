"""The resource type `aws.iam.Role`."""

import contextlib
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Created,
    Properties,
    ResourceType,
    Schema,
    physical_name,
    tag_list,
    without_nones,
)


class Role(ResourceType):
    """A role with its trust policy; its id is its name. Rights arrive by RolePolicy alone."""

    pulumi_type = "aws:iam/role:Role"
    schema: ClassVar[Schema] = {
        "name": LEAF,
        "assumeRolePolicy": LEAF,
        "description": LEAF,
        "tags": FREE_FORM,
    }
    ignored = frozenset({"permissionsBoundary", "maxSessionDuration", "forceDetachPolicies"})
    replaced_on = frozenset({"name"})
    required = frozenset({"assumeRolePolicy"})
    computed: ClassVar[dict[str, frozenset[str]]] = {"arn": frozenset(), "uniqueId": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        name = physical_name(logical_name, inputs)
        clients("iam").create_role(
            **without_nones(
                {
                    "RoleName": name,
                    "AssumeRolePolicyDocument": inputs["assumeRolePolicy"],
                    "Description": inputs.get("description"),
                    "Tags": tag_list(inputs) or None,
                }
            )
        )
        return Created(name, self.outputs(clients, name, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        iam = clients("iam")
        try:
            role = iam.get_role(RoleName=resource_id)["Role"]
        except iam.exceptions.NoSuchEntityException:
            return None
        return inputs | {"name": resource_id, "arn": role["Arn"], "uniqueId": role["RoleId"]}

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """See the base class."""
        iam = clients("iam")
        iam.update_assume_role_policy(RoleName=resource_id, PolicyDocument=new["assumeRolePolicy"])
        iam.update_role(RoleName=resource_id, Description=new.get("description") or "")
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        iam = clients("iam")
        with contextlib.suppress(iam.exceptions.NoSuchEntityException):
            iam.delete_role(RoleName=resource_id)
