"""Checks of AWS when a mapping is made."""

import pytest

from outbox_local.clients import Clients
from outbox_local.deployer import destroy
from outbox_local.errors import DeploymentError
from tests.outbox_local.conftest import TRUST_POLICY
from tests.outbox_local.programs import Program

FUNCTION = f"""
import json
import pulumi
from pulumi_aws import dynamodb, iam, lambda_, sqs
role = iam.Role('role', assume_role_policy={TRUST_POLICY!r})
code = pulumi.AssetArchive({{'a.py': pulumi.StringAsset('def handler(event, context): return None')}})
function = lambda_.Function('f', role=role.arn, handler='a.handler', runtime='python3.14', code=code)
"""
OF_A_QUEUE = """
queue = sqs.Queue('q', visibility_timeout_seconds=60)
lambda_.EventSourceMapping('m', event_source_arn=queue.arn, function_name=function.name, batch_size={batch_size})
"""
OF_A_STREAM = """
table = dynamodb.Table('t', billing_mode='PAY_PER_REQUEST', hash_key='PK', attributes=[{'name': 'PK', 'type': 'S'}],
    stream_enabled=True, stream_view_type='NEW_IMAGE')
reads = {'Effect': 'Allow', 'Action': ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator']}
lists = {'Effect': 'Allow', 'Action': 'dynamodb:ListStreams'}
policy = iam.RolePolicy('p', role=role.id, policy=table.stream_arn.apply(lambda arn: json.dumps({
    'Version': '2012-10-17',
    'Statement': [{**reads, 'Resource': arn}, {**lists, 'Resource': arn}],
})))
lambda_.EventSourceMapping('m', event_source_arn=table.stream_arn, function_name=function.name,
    starting_position='LATEST', opts=pulumi.ResourceOptions(depends_on=[policy]))
"""


def test_mapping_of_a_role_that_may_not_read_is_refused_and_what_stands_can_be_removed(
    program: Program, clients: Clients
) -> None:
    with pytest.raises(DeploymentError, match=r"lacks sqs:ReceiveMessage, sqs:DeleteMessage"):
        program.deploy(FUNCTION + OF_A_QUEUE.format(batch_size=10))

    standing = set(program.deployment.resources)
    destroy(clients, program.deployment)
    assert {name for _, name in standing} == {"role", "f", "q"}
    assert program.deployment.resources == {}


def test_mapping_outside_lambdas_limits_is_refused(program: Program) -> None:
    with pytest.raises(DeploymentError, match=r"EventSourceMapping 'm'.*BatchSize is 11"):
        program.deploy(FUNCTION + OF_A_QUEUE.format(batch_size=11))


def test_mapping_of_a_role_that_may_list_streams_on_the_stream_alone_is_refused(program: Program) -> None:
    with pytest.raises(DeploymentError, match=r"lacks dynamodb:ListStreams \(on \*\)"):
        program.deploy(FUNCTION + OF_A_STREAM)
