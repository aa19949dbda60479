"""Policies on resources are closed to strangers: no foreign principals, no service without its source.

A service that acts for anybody needs a condition on the source it acts for (the confused deputy).
https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
"""

from collections.abc import Iterator
from typing import Any

from pack.breadth import is_wildcard
from pack.documents import DocumentError, Statement, read_document
from pack.options import texts
from pack.resources import (
    PERMISSION,
    QUEUE,
    QUEUE_POLICY,
    ROLE,
    TABLE_POLICY,
    TOPIC,
    TOPIC_POLICY,
    Config,
    Resource,
    Verdicts,
)
from pack.rule import resource_rule
from pack.values import UNKNOWN, as_list, has_unknown

SOURCE_KEYS = frozenset({"aws:sourcearn", "aws:sourceaccount", "aws:sourceorgid"})
SERVICE_ENDS = (".amazonaws.com", ".amazonaws.com.cn")
FIX = "Name a service with its source (aws:SourceArn or aws:SourceAccount), or list the principal in allowedPrincipals."


@resource_rule(
    name="iam-resource-policy-closed",
    description="Queues, topics, tables, functions and roles are not open to foreign principals.",
    remediation=FIX,
    types=(ROLE, QUEUE, QUEUE_POLICY, TOPIC, TOPIC_POLICY, TABLE_POLICY, PERMISSION),
    options={
        "allowedPrincipals": texts(
            [], "Principals from elsewhere that have been reviewed, exactly as written."
        )
    },
)
def judge(resource: Resource, config: Config) -> Verdicts:
    """Judge the policy on a resource, a role's trust policy, or a permission on a function."""
    if resource.type == PERMISSION:
        yield from _judge_permission(resource, config)
        return
    where = "assumeRolePolicy" if resource.type == ROLE else "policy"
    document = resource.get(where)
    if has_unknown(document):
        yield resource.pending(where)
    if document is UNKNOWN or (not document and resource.type in (QUEUE, TOPIC)):
        return
    try:
        statements = read_document(document)
    except DocumentError as error:
        yield resource.finding(
            f"'{resource.name}' must say readably who may use it: {where} cannot be read, {error}."
        )
        return
    for statement in statements:
        if statement.allows and (problem := _problem(statement, config, needs_source=resource.type != ROLE)):
            yield resource.finding(
                f"'{resource.name}' must be closed to strangers: {statement.label} {problem}. {FIX}"
            )


def _judge_permission(permission: Resource, config: Config) -> Verdicts:
    principal = permission.get("principal")
    if principal is UNKNOWN:
        yield permission.pending("principal")
    elif principal in config["allowedPrincipals"]:
        return
    elif not str(principal).endswith(SERVICE_ENDS):
        yield permission.finding(
            f"'{permission.name}' must be closed to strangers: it lets a principal that is no AWS service invoke "
            f"the function. {FIX}"
        )
    elif not permission.get("sourceArn") and not permission.get("sourceAccount"):
        yield permission.finding(
            f"'{permission.name}' must be closed to strangers: it lets a service invoke the function for anybody. "
            f"{FIX}"
        )


def _problem(statement: Statement, config: Config, *, needs_source: bool) -> str:
    if "notprincipal" in statement.inverted:
        return "allows everybody but those it lists (NotPrincipal)"
    for kind, principal in _principals(statement.principal):
        if principal is UNKNOWN or principal in config["allowedPrincipals"]:
            continue
        if is_wildcard(str(principal)):
            return "allows everybody"
        if kind != "service":
            return "allows a principal that is no AWS service"
        if needs_source and not _asks_for_source(statement.condition):
            return "lets a service act for anybody"
    return ""


def _principals(principal: Any) -> Iterator[tuple[str, Any]]:
    """Kind (in lower case) and value of each principal; nobody named is everybody."""
    if not isinstance(principal, dict):
        yield "", principal or "*"
        return
    for kind, values in principal.items():
        for value in as_list(values):
            yield kind.lower(), value


def _asks_for_source(condition: Any) -> bool:
    if condition is UNKNOWN:
        return True
    operators = (condition or {}).values()
    return any(key.lower() in SOURCE_KEYS for keys in operators if isinstance(keys, dict) for key in keys)
