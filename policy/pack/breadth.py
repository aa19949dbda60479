"""Breadth of a statement: wildcards in actions and in resources."""

from pack.values import UNKNOWN, Unknown

WILDCARDS = frozenset("*?")
ARN_PARTS = 6
SERVICES_NAMED_WITHOUT_TYPE = frozenset({"s3", "sqs", "sns"})
"""Services whose ARNs hold a bare name, where others hold type and name."""


def is_wildcard(text: str | Unknown) -> bool:
    """Whether any character of it may stand for others."""
    return text is not UNKNOWN and bool(WILDCARDS & set(text))


def is_broad_resource(arn: str | Unknown) -> bool:
    """Whether a resource goes beyond everything below one named thing.

    `...:log-group:name:*` and `arn:<partition>:s3:::bucket/*` name one thing each; `...:table/*`, `...:table/ord*`
    and a wildcard for region or account do not.
    """
    if arn is UNKNOWN or not is_wildcard(arn):
        return False
    named = arn.removesuffix("*").rstrip(":/") if arn.endswith((":*", "/*")) else arn
    parts = named.split(":", ARN_PARTS - 1)
    if is_wildcard(named) or len(parts) < ARN_PARTS:
        return True
    service, resource = parts[2], parts[5]
    if service in SERVICES_NAMED_WITHOUT_TYPE:
        return not resource
    return not any(separator in resource for separator in ":/")
