"""Tables are paid by request: provisioned capacity is paid by the hour and throttles above it.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/capacity-mode.html
"""

from typing import Any

from pack.resources import TABLE, Config
from pack.rule import property_rule

ON_DEMAND = "PAY_PER_REQUEST"


@property_rule(
    name="table-on-demand",
    description="Tables are on demand.",
    remediation=f"Set billingMode to {ON_DEMAND}.",
    resource_type=TABLE,
    property_name="billingMode",
)
def on_demand(mode: Any, _config: Config) -> str:
    """Without a mode DynamoDB provisions."""
    return "" if mode == ON_DEMAND else "must be on demand; its capacity is provisioned"
