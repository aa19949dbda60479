"""A function's role on the local AWS: looked up, and given another document."""

import json
from dataclasses import dataclass

from outbox_cli.stack.deployed import Stack
from tools.rights.documents import Document


@dataclass(frozen=True)
class Role:
    """A function's role and its one inline policy."""

    name: str
    policy_name: str
    document: Document


def role_of(stack: Stack, function: str) -> Role:
    """The role of one of the stack's functions, as deployed."""
    configuration = stack.clients("lambda").get_function_configuration(
        FunctionName=stack[f"{function}_function_name"]
    )
    name = configuration["Role"].rpartition("/")[2]
    iam = stack.clients("iam")
    [policy_name] = iam.list_role_policies(RoleName=name)["PolicyNames"]
    document = iam.get_role_policy(RoleName=name, PolicyName=policy_name)["PolicyDocument"]
    return Role(name, policy_name, document)


def put_document(stack: Stack, role: Role, document: Document) -> None:
    """Replace what a role may do."""
    stack.clients("iam").put_role_policy(
        RoleName=role.name, PolicyName=role.policy_name, PolicyDocument=json.dumps(document)
    )
