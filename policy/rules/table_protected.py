"""In production a table cannot be deleted by a mistake, neither through Pulumi nor through AWS."""

from pack.options import PRODUCTION_STACKS, in_production
from pack.resources import TABLE, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.values import UNKNOWN

FIX = "Set deletionProtectionEnabled and the resource option protect."


@resource_rule(
    name="table-protected",
    description="Tables of production stacks are protected from deletion.",
    remediation=FIX,
    types=[TABLE],
    options=PRODUCTION_STACKS,
)
def judge(table: Resource, config: Config) -> Verdicts:
    """Judge both protections of a table in a production stack."""
    if not in_production(table, config):
        return
    protected = table.get("deletionProtectionEnabled")
    if protected is UNKNOWN:
        yield table.pending("deletionProtectionEnabled")
    elif protected is not True or not table.protect:
        yield table.finding(
            f"Table '{table.name}' must be protected in stack '{table.stack}', by AWS and by Pulumi; it is not. {FIX}"
        )
