"""A policy attached by ARN is one of this stack, so that a review of the stack sees what it allows."""

from pack.options import texts
from pack.resources import ROLE, Config, Verdicts
from pack.roles import attached_policies
from pack.rule import stack_rule
from pack.stack import Stack

FIX = "Attach a policy that this stack declares, or list its ARN in allowedPolicies."


@stack_rule(
    name="iam-attached-policy-in-stack",
    description="Policies that are attached to roles by ARN belong to this stack.",
    remediation=FIX,
    options={"allowedPolicies": texts([], "ARNs of policies from elsewhere that have been reviewed.")},
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge all that is attached to the stack's roles; AWS's own policies are for iam-no-broad-statement."""
    for role in stack.of(ROLE):
        for holder, arn, policies in attached_policies(stack, role):
            known = isinstance(arn, str)
            if policies or (known and (":iam::aws:policy/" in arn or arn in config["allowedPolicies"])):
                continue
            yield holder.finding(
                f"'{holder.name}' must attach policies of this stack only to role '{role.name}': it attaches one "
                f"from elsewhere, whose statements cannot be reviewed. {FIX}"
            )
