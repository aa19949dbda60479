"""No public endpoint: whoever finds it spends the account's money, and writes orders.

https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
"""

from pack.forbidden import forbidden_types_rule

TYPES = (
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

RULE = forbidden_types_rule(
    name="cost-no-public-endpoint",
    description="There is no function URL and no other public endpoint.",
    types=TYPES,
    why="it is open to the internet, where every caller costs money",
    remediation="Invoke the command function with IAM credentials.",
)
