"""In production a table cannot be lost by a mistake: neither deleted, nor overwritten beyond repair.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Point-in-time-recovery.html
"""

from pack.options import PRODUCTION_STACKS, in_production
from pack.resources import TABLE, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.values import UNKNOWN

FIX = "Set deletionProtectionEnabled and the resource option protect."
RECOVERY_FIX = "Set pointInTimeRecovery: {enabled: true}, or point_in_time_recovery of the component."


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


@resource_rule(
    name="table-recoverable",
    description="Tables of production stacks can be restored to a point in time.",
    remediation=RECOVERY_FIX,
    types=[TABLE],
    options=PRODUCTION_STACKS,
)
def judge_recovery(table: Resource, config: Config) -> Verdicts:
    """Judge the continuous backups of a table in a production stack."""
    if not in_production(table, config):
        return
    enabled = table.get("pointInTimeRecovery", "enabled")
    if enabled is UNKNOWN:
        yield table.pending("pointInTimeRecovery")
    elif enabled is not True:
        yield table.finding(
            f"Table '{table.name}' must have point-in-time recovery in stack '{table.stack}'; it has none. "
            f"{RECOVERY_FIX}"
        )
