"""Rights reach a role in one style: inline blocks on the role and separate resources undo each other.

https://www.pulumi.com/registry/packages/aws/api-docs/iam/rolepolicy/
"""

from pulumi_policy import EnforcementLevel

from pack.resources import ROLE, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.values import as_list

FIX = "Use a RolePolicy resource for each document, and attachments for policies."


@resource_rule(
    name="iam-role-one-style",
    level=EnforcementLevel.ADVISORY,
    description="Rights are given by RolePolicy resources and attachments, not by blocks on the role.",
    remediation=FIX,
    types=[ROLE],
)
def judge(role: Resource, _config: Config) -> Verdicts:
    """Judge the blocks that a role's own inputs hold; what AWS answers later is no choice of the program."""
    found = [name for name in ("inlinePolicies", "managedPolicyArns") if any(as_list(role.get(name)))]
    if found:
        yield role.finding(
            f"Role '{role.name}' must leave its rights to separate resources; it has {' and '.join(found)}, "
            f"which remove whatever another resource gives it. {FIX}"
        )
