"""No capacity that is paid for while it idles; a table's billing mode is for table-on-demand.

https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
"""

from pack.forbidden import forbidden_types_rule

TYPES = (
    "aws:lambda/provisionedConcurrencyConfig:ProvisionedConcurrencyConfig",
    "aws:lambda/capacityProvider:CapacityProvider",
    "aws:appautoscaling/target:Target",
    "aws:ec2/instance:Instance",
    "aws:rds/instance:Instance",
    "aws:rds/cluster:Cluster",
    "aws:elasticache/cluster:Cluster",
    "aws:dax/cluster:Cluster",
    "aws:ecs/service:Service",
)

RULE = forbidden_types_rule(
    name="cost-no-provisioned-capacity",
    description="There is no provisioned capacity.",
    types=TYPES,
    why="it is billed by the hour, used or not",
    remediation="Use what is billed by the request.",
)
