"""A role belongs to one function: nothing else runs under it, and nobody but Lambda may take it."""

from typing import Any

from pack.documents import DocumentError, Statement, read_document
from pack.options import texts
from pack.resources import FUNCTION, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, roles_of
from pack.values import UNKNOWN, as_list

FIX = "Give each function a role of its own that trusts lambda.amazonaws.com alone."


@stack_rule(
    name="iam-role-one-function",
    description="A role serves one function, and only Lambda may take it.",
    remediation=FIX,
    options={"trustedServices": texts(["lambda.amazonaws.com"], "Services that may take a function's role.")},
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge every role that functions of the stack run under, whether they name it by ARN or by its resource."""
    users: dict[str, list[Resource]] = {}
    for function in stack.of(FUNCTION):
        for role in roles_of(stack, function):
            users.setdefault(role.urn, []).append(function)
    for role in stack.resources:
        if role.urn not in users:
            continue
        if len(users[role.urn]) > 1:
            names = " and ".join(f"'{function.name}'" for function in users[role.urn])
            yield role.finding(f"Role '{role.name}' must serve one function; it serves {names}. {FIX}")
        trust = role.get("assumeRolePolicy")
        if trust is UNKNOWN:
            yield role.pending("assumeRolePolicy")
        elif problem := _trust_problem(trust, set(config["trustedServices"])):
            yield role.finding(f"Role '{role.name}' must be Lambda's alone to take; {problem}. {FIX}")


def _trust_problem(trust: Any, services: set[str]) -> str:
    try:
        statements = read_document(trust)
    except DocumentError as error:
        return f"its trust policy cannot be read, {error}"
    if any(statement.allows and not _trusts_only(statement, services) for statement in statements):
        return "its trust policy lets others take it"
    return ""


def _trusts_only(statement: Statement, services: set[str]) -> bool:
    principal = statement.principal
    return (
        not statement.inverted
        and isinstance(principal, dict)
        and [key.lower() for key in principal] == ["service"]
        and all(
            found is UNKNOWN or found in services for value in principal.values() for found in as_list(value)
        )
        and all(str(action).lower() == "sts:assumerole" for action in statement.actions)
    )
