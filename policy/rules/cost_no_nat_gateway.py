"""No NAT gateway: it is billed by the hour, and nothing here needs a network of its own.

https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-pricing.html
"""

from pack.forbidden import forbidden_types_rule

TYPES = ("aws:ec2/natGateway:NatGateway",)

RULE = forbidden_types_rule(
    name="cost-no-nat-gateway",
    description="There is no NAT gateway.",
    types=TYPES,
    why="it is billed by the hour and by the gigabyte",
    remediation="Keep the functions out of a VPC, or reach AWS through gateway endpoints.",
)
