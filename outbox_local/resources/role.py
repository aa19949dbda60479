"""The resource types `aws.iam.Role` and `aws.iam.RolePolicy`."""

import json
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
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
    computed: ClassVar[Computed] = {"arn": frozenset(), "uniqueId": frozenset()}

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
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
        return name

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        role = clients("iam").get_role(RoleName=resource_id)["Role"]
        return inputs | {"name": resource_id, "arn": role["Arn"], "uniqueId": role["RoleId"]}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        iam = clients("iam")
        iam.update_assume_role_policy(RoleName=resource_id, PolicyDocument=new["assumeRolePolicy"])
        iam.update_role(RoleName=resource_id, Description=new.get("description") or "")

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("iam").delete_role(RoleName=resource_id)


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
