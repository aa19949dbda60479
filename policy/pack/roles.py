"""The routes by which rights reach a role.

Inline blocks on the role, managed policies on the role, role policies, attachments, exclusive attachments and
group-style attachments. A customer-managed policy is followed to its document where it is in the stack.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pack.resources import (
    CUSTOMER_POLICY,
    EXCLUSIVE_ATTACHMENTS,
    GROUP_STYLE_ATTACHMENT,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
    Resource,
)
from pack.stack import Stack
from pack.values import as_list

ATTACHMENTS = {
    ROLE: ("", "managedPolicyArns"),
    ROLE_ATTACHMENT: ("role", "policyArn"),
    GROUP_STYLE_ATTACHMENT: ("roles", "policyArn"),
    EXCLUSIVE_ATTACHMENTS: ("roleName", "policyArns"),
}
"""Types that attach policies by ARN: the property that names the role (none: itself) and the one with the ARNs."""


@dataclass(frozen=True)
class Held:
    """A policy document that a role holds: in which property of which resource, and its value."""

    owner: Resource
    property_name: str
    document: Any


def inline_documents(role: Resource) -> list[Any]:
    """The documents in a role's own inline blocks; an empty block is how Pulumi says "none".

    A block of another shape stands for itself, so that it is reported as a document that cannot be read.
    """
    blocks = as_list(role.get("inlinePolicies"))
    return [
        block.get("policy") if isinstance(block, dict) else block
        for block in blocks
        if block not in (None, {})
    ]


def held_documents(stack: Stack, role: Resource) -> Iterator[Held]:
    """Every document that grants the role something, as far as it is in this stack."""
    for document in inline_documents(role):
        yield Held(role, "inlinePolicies", document)
    for policy in stack.of(ROLE_POLICY):
        if role in stack.targets(policy, "role", types=[ROLE]):
            yield Held(policy, "policy", policy.get("policy"))
    for _, _, policies in attached_policies(stack, role):
        for policy in policies:
            yield Held(policy, "policy", policy.get("policy"))


def attached_policies(stack: Stack, role: Resource) -> Iterator[tuple[Resource, Any, list[Resource]]]:
    """Policies attached to the role by ARN: the attaching resource, the ARN, and the policy if it is in this stack."""
    for holder in stack.of(*ATTACHMENTS):
        role_property, arns_property = ATTACHMENTS[holder.type]
        if role in _roles_named(stack, holder, role_property):
            for arn in as_list(holder.get(arns_property)):
                yield holder, arn, stack.targets(holder, arns_property, value=arn, types=[CUSTOMER_POLICY])


def _roles_named(stack: Stack, holder: Resource, property_name: str) -> list[Resource]:
    if not property_name:
        return [holder]
    names = as_list(holder.get(property_name))
    return [role for name in names for role in stack.targets(holder, property_name, value=name, types=[ROLE])]
