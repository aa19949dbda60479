"""Grants of the functions, and the IAM documents built from them.

A transaction is authorised by its items' actions; `dynamodb:TransactWriteItems` is no IAM action. Only the
reconciler may read tables: elsewhere a failed condition brings the stored item
(`ReturnValuesOnConditionCheckFailure=ALL_OLD`).
https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired, TypedDict

import pulumi

POLICY_LANGUAGE_VERSION = "2012-10-17"


class Statement(TypedDict):
    """One statement of an IAM policy document."""

    Sid: str
    Effect: str
    Action: list[str]
    Resource: pulumi.Input[str] | list[pulumi.Input[str]]
    Condition: NotRequired[dict[str, dict[str, pulumi.Input[str]]]]


class PolicyDocument(TypedDict):
    """An IAM policy document."""

    Version: str
    Statement: list[Statement]


@dataclass(frozen=True)
class Grant:
    """Actions that are allowed for one purpose; the purpose is the statement's id."""

    sid: str
    actions: tuple[str, ...]

    def on(self, resource: pulumi.Input[str] | list[pulumi.Input[str]]) -> Statement:
        """The statement that allows these actions on a resource, given by ARN."""
        return {"Sid": self.sid, "Effect": "Allow", "Action": list(self.actions), "Resource": resource}


WRITE_ORDER_AND_OUTBOX = Grant("WriteOrderAndOutbox", ("dynamodb:PutItem",))
WRITE_INBOX_AND_AGGREGATE = Grant("WriteInboxAndAggregate", ("dynamodb:PutItem", "dynamodb:UpdateItem"))
CONSUME_DELIVERY_QUEUE = Grant(
    "ConsumeDeliveryQueue", ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
)
FORWARD_OUTBOX = Grant("ForwardOutbox", ("sqs:SendMessage",))
REPORT_FAILED_RECORDS = Grant("ReportFailedRecords", ("sqs:SendMessage",))
READ_SOURCE_STREAM = Grant(
    "ReadSourceStream", ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
)
DISCOVER_STREAMS = Grant("DiscoverStreams", ("dynamodb:ListStreams",))
FIND_OUTBOX_ROWS = Grant("FindOutboxRows", ("dynamodb:Query",))
READ_INBOX_MARKERS = Grant("ReadInboxMarkers", ("dynamodb:BatchGetItem",))
RESEND_OUTBOX = Grant("ResendOutbox", ("sqs:SendMessage",))
# https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
WRITE_TRACES = Grant("WriteTraces", ("xray:PutTraceSegments", "xray:PutTelemetryRecords"))
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
CONNECT_TO_VPC = Grant(
    "ConnectToVpc",
    (
        *("ec2:CreateNetworkInterface", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets"),
        *("ec2:DeleteNetworkInterface", "ec2:AssignPrivateIpAddresses", "ec2:UnassignPrivateIpAddresses"),
    ),
)
# Creating log groups is left out on purpose: a group that a function makes for itself is kept for ever.
WRITE_FUNCTION_LOGS = Grant("WriteFunctionLogs", ("logs:CreateLogStream", "logs:PutLogEvents"))


def discover_streams(region: pulumi.Input[str]) -> Statement:
    """Listing streams, which IAM cannot narrow to a resource: hence only in the stack's own region."""
    return {**DISCOVER_STREAMS.on("*"), "Condition": {"StringEquals": {"aws:RequestedRegion": region}}}


def policy_document(statements: Sequence[Statement]) -> PolicyDocument:
    """The document that holds these statements."""
    return {"Version": POLICY_LANGUAGE_VERSION, "Statement": list(statements)}


def trust_policy() -> dict[str, object]:
    """Trust policy of a function's role: it trusts the Lambda service, whose name is the same in every partition."""
    return {
        "Version": POLICY_LANGUAGE_VERSION,
        "Statement": [
            {
                "Effect": "Allow",
                "Action": "sts:AssumeRole",
                "Principal": {"Service": "lambda.amazonaws.com"},
            }
        ],
    }


def region_of(arn: str) -> str:
    """The region an ARN names; unlike a lookup, it is right whatever provider made the resource."""
    return arn.split(":")[3]


def streams_of(log_group_arn: str) -> str:
    """The ARN of every stream in a log group; some tools give the group's ARN with this end already."""
    return f"{log_group_arn.removesuffix(':*')}:*"
