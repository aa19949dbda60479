"""No policy document allows more than what it names: no wildcard actions, no wildcard resources, no exceptions.

Judged on each resource's inputs, so that a broad document is refused before anything is created.
"""

from collections.abc import Iterator
from typing import Any

from pack.breadth import is_broad_resource, is_wildcard
from pack.documents import DocumentError, Statement, read_document, show_actions
from pack.options import switch, texts
from pack.resources import (
    CUSTOMER_POLICY,
    EXCLUSIVE_ATTACHMENTS,
    GROUP_POLICY,
    GROUP_STYLE_ATTACHMENT,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
    USER_POLICY,
    Config,
    Resource,
    Verdicts,
)
from pack.roles import ATTACHMENTS, inline_documents
from pack.rule import resource_rule
from pack.values import UNKNOWN, as_list, has_unknown

DOCUMENT_TYPES = (ROLE_POLICY, CUSTOMER_POLICY, USER_POLICY, GROUP_POLICY)
REGION_KEY = "aws:requestedregion"
FIX = "Name each action and each ARN."


@resource_rule(
    name="iam-no-broad-statement",
    description="IAM statements name their actions and their resources.",
    remediation=f"{FIX} An action that IAM cannot narrow stands alone on *, with a condition on the region.",
    types=(*DOCUMENT_TYPES, ROLE, ROLE_ATTACHMENT, GROUP_STYLE_ATTACHMENT, EXCLUSIVE_ATTACHMENTS),
    options={
        "unscopedActions": texts(
            ["dynamodb:ListStreams"],
            "Actions without resource scope, allowed on * in a statement of their own.",
        ),
        "regionCondition": switch(
            "Whether such a statement needs a condition on aws:RequestedRegion.", default=True
        ),
        "allowedManagedPolicies": texts(
            [], "AWS-managed policies that may be attached, by the name after `policy/`."
        ),
    },
)
def judge(resource: Resource, config: Config) -> Verdicts:
    """Judge the documents and the AWS-managed policies that a resource brings."""
    documents = [resource.get("policy")] if resource.type in DOCUMENT_TYPES else inline_documents(resource)
    for document in documents:
        if document is not UNKNOWN:
            for problem in _problems(document, config):
                yield resource.finding(f"{_whose(resource)} must allow only what it names: {problem} {FIX}")
        if has_unknown(document):
            yield resource.pending("policy" if resource.type in DOCUMENT_TYPES else "inlinePolicies")
    _, arns_property = ATTACHMENTS.get(resource.type, ("", ""))
    for arn in as_list(resource.get(arns_property)):
        if arn is UNKNOWN:
            yield resource.pending(arns_property)
        elif (
            ":iam::aws:policy/" in arn and arn.partition("policy/")[2] not in config["allowedManagedPolicies"]
        ):
            yield resource.finding(
                f"{_whose(resource)} must not attach AWS's own policy {arn.partition('policy/')[2]}: "
                "it names no resource of this stack and AWS may change it. Write the few statements it needs."
            )


def _problems(document: Any, config: Config) -> Iterator[str]:
    """A sentence for each statement that is too broad, or one for a document that cannot be read."""
    try:
        statements = read_document(document)
    except DocumentError as error:
        yield f"its document cannot be read, {error}."
        return
    for statement in statements:
        if statement.allows and (reasons := list(_reasons(statement, config))):
            yield f"{statement.label} {', and '.join(reasons)}."


def _reasons(statement: Statement, config: Config) -> Iterator[str]:
    if statement.inverted:
        yield "allows all but what it lists (NotAction, NotResource)"
    if wide := [action for action in statement.actions if is_wildcard(action)]:
        yield f"has wildcards in its actions ({show_actions(wide)})"
    if not statement.resources and "notresource" not in statement.inverted:
        yield "names no resource"
    unscoped = {action.lower() for action in config["unscopedActions"]}
    actions = {str(action).lower() for action in statement.actions}
    if actions & unscoped and not wide and not any(found in ("*", UNKNOWN) for found in statement.resources):
        yield f"names a resource for {show_actions(statement.actions)}, which IAM knows on * only: it has no effect"
    if any(map(is_broad_resource, statement.resources)):
        if not actions <= unscoped:
            yield "has a wildcard resource"
        elif config["regionCondition"] and not _in_one_region(statement):
            yield "has * as resource without a StringEquals condition on aws:RequestedRegion"


def _in_one_region(statement: Statement) -> bool:
    """Whether a condition asks for named regions; more conditions only narrow it further."""
    if statement.condition is UNKNOWN:
        return True
    for operator, keys in (statement.condition or {}).items():
        if operator.lower() == "stringequals" and isinstance(keys, dict):
            regions = [as_list(value) for key, value in keys.items() if key.lower() == REGION_KEY]
            return bool(regions) and all(map(_are_names, regions))
    return False


def _are_names(regions: list[Any]) -> bool:
    """Whether there is a region, and each is text without wildcard, or not known yet."""
    return bool(regions) and all(
        region is UNKNOWN or (isinstance(region, str) and region and not is_wildcard(region))
        for region in regions
    )


def _whose(resource: Resource) -> str:
    owner = f" of '{resource.parent.rpartition('::')[2]}'" if resource.parent else ""
    return f"'{resource.name}'{owner}"
