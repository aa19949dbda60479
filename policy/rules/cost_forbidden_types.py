"""Resource types that must not exist: they cost by the hour, or let anybody cause cost.

https://docs.aws.amazon.com/vpc/latest/userguide/nat-gateway-pricing.html
https://docs.aws.amazon.com/lambda/latest/dg/provisioned-concurrency.html
https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
"""

from collections.abc import Sequence

from pulumi_policy import ResourceValidationPolicy

from pack.options import texts
from pack.resources import Config, Resource, Verdicts
from pack.rule import resource_rule


def _forbidden(
    name: str, *, types: Sequence[str], description: str, why: str, remediation: str
) -> ResourceValidationPolicy:
    @resource_rule(
        name=name,
        description=description,
        remediation=remediation,
        types=types,
        options={"allowedTypes": texts([], "Resource types to accept that this rule would refuse.")},
    )
    def rule(resource: Resource, config: Config) -> Verdicts:
        if resource.type not in config["allowedTypes"]:
            yield resource.finding(
                f"'{resource.name}' ({resource.type}) must not exist: {why}. {remediation} "
                "Or accept its type in allowedTypes."
            )

    return rule


NAT_GATEWAYS = ("aws:ec2/natGateway:NatGateway",)
PROVISIONED = (
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
PUBLIC = (
    "aws:lambda/functionUrl:FunctionUrl",
    "aws:apigateway/restApi:RestApi",
    "aws:apigatewayv2/api:Api",
    "aws:appsync/graphQLApi:GraphQLApi",
    "aws:alb/loadBalancer:LoadBalancer",
    "aws:lb/loadBalancer:LoadBalancer",
    "aws:elb/loadBalancer:LoadBalancer",
    "aws:cloudfront/distribution:Distribution",
    "aws:ec2/eip:Eip",
    "aws:ec2/internetGateway:InternetGateway",
)
TYPES = {
    "cost-no-nat-gateway": NAT_GATEWAYS,
    "cost-no-provisioned-capacity": PROVISIONED,
    "cost-no-public-endpoint": PUBLIC,
}

nat_gateway = _forbidden(
    "cost-no-nat-gateway",
    types=NAT_GATEWAYS,
    description="There is no NAT gateway.",
    why="it is billed by the hour and by the gigabyte",
    remediation="Keep the functions out of a VPC, or reach AWS through gateway endpoints.",
)
provisioned_capacity = _forbidden(
    "cost-no-provisioned-capacity",
    types=PROVISIONED,
    description="There is no provisioned capacity.",
    why="it is billed by the hour, used or not",
    remediation="Use what is billed by the request.",
)
public_endpoint = _forbidden(
    "cost-no-public-endpoint",
    types=PUBLIC,
    description="There is no function URL and no other public endpoint.",
    why="it is open to the internet, where every caller costs money",
    remediation="Invoke the command function with IAM credentials.",
)
