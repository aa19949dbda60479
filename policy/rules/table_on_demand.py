"""Tables are paid by request: provisioned capacity is paid by the hour and throttles above it.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-mode.html
"""

from pack.resources import TABLE, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

ON_DEMAND = "PAY_PER_REQUEST"
FIX = f"Set billingMode to {ON_DEMAND}."


def judge(table: Resource, _config: Config) -> Verdicts:
    """Judge a table's billing mode; without one DynamoDB provisions."""
    mode = table.get("billingMode")
    if mode is UNKNOWN:
        yield table.pending("billingMode")
    elif mode != ON_DEMAND:
        yield table.finding(f"Table '{table.name}' must be on demand; its capacity is provisioned. {FIX}")


RULE = resource_rule(
    name="table-on-demand",
    level=Level.MANDATORY,
    description="Tables are on demand.",
    remediation=FIX,
    types=[TABLE],
    judge=judge,
)
