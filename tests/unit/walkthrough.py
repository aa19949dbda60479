"""The dev stack as the walkthrough describes it: every resource and every input, written out by hand."""

from typing import Any

from tests.unit.aws_mocks import FUNCTION, LOG_GROUP, MAPPING, QUEUE, ROLE, ROLE_POLICY, TABLE

ACCOUNT = "123456789012"
SOURCE_TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/orders-source-1a2b3c4"
STREAM_ARN = f"{SOURCE_TABLE_ARN}/stream/2026-09-05T12:00:00.000"
PROJECTION_TABLE_ARN = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/sales-projection-1a2b3c4"
QUEUE_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:sales-queue-1a2b3c4"
QUEUE_URL = f"https://sqs.us-east-1.test/{ACCOUNT}/sales-queue-1a2b3c4"
DEAD_LETTER_QUEUE_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:sales-dead-letter-queue-1a2b3c4"
FUNCTIONS = {"command": "orders-command", "relay": "orders-relay", "consumer": "sales-consumer"}
TRUST = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
    ],
}
KEYS = {
    "hashKey": "PK",
    "rangeKey": "SK",
    "attributes": [{"name": "PK", "type": "S"}, {"name": "SK", "type": "S"}],
}
STATEMENTS: dict[str, list[dict[str, Any]]] = {
    "orders-command": [
        {"Sid": "WriteOrderAndOutbox", "Action": ["dynamodb:PutItem"], "Resource": SOURCE_TABLE_ARN},
    ],
    "orders-relay": [
        {"Sid": "ForwardOutbox", "Action": ["sqs:SendMessage"], "Resource": [QUEUE_ARN]},
        {
            "Sid": "ReadSourceStream",
            "Action": ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"],
            "Resource": STREAM_ARN,
        },
        {
            "Sid": "DiscoverStreams",
            "Action": ["dynamodb:ListStreams"],
            "Resource": "*",
            "Condition": {"StringEquals": {"aws:RequestedRegion": "us-east-1"}},
        },
    ],
    "sales-consumer": [
        {
            "Sid": "WriteInboxAndAggregate",
            "Action": ["dynamodb:PutItem", "dynamodb:UpdateItem"],
            "Resource": PROJECTION_TABLE_ARN,
        },
        {
            "Sid": "ConsumeDeliveryQueue",
            "Action": ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
            "Resource": QUEUE_ARN,
        },
    ],
}
ENVIRONMENTS = {
    "orders-command": {"SOURCE_TABLE": "orders-source-1a2b3c4"},
    "orders-relay": {"QUEUE_URL": QUEUE_URL},
    "sales-consumer": {"PROJECTION_TABLE": "sales-projection-1a2b3c4"},
}


def resources() -> dict[tuple[str, str], dict[str, Any]]:
    """Every resource of the dev stack with all its inputs but the code."""
    resources: dict[tuple[str, str], dict[str, Any]] = {
        (TABLE, "orders-source"): {
            **KEYS,
            "billingMode": "PAY_PER_REQUEST",
            "streamEnabled": True,
            "streamViewType": "NEW_IMAGE",
            "deletionProtectionEnabled": False,
        },
        (TABLE, "sales-projection"): {
            **KEYS,
            "billingMode": "PAY_PER_REQUEST",
            "deletionProtectionEnabled": False,
        },
        (QUEUE, "sales-dead-letter-queue"): {
            "maxMessageSize": 1_048_576,
            "messageRetentionSeconds": 4 * 86400,
            "receiveWaitTimeSeconds": 20,
            "sqsManagedSseEnabled": True,
        },
        (QUEUE, "sales-queue"): {
            "visibilityTimeoutSeconds": 60,
            "maxMessageSize": 1_048_576,
            "messageRetentionSeconds": 86400,
            "receiveWaitTimeSeconds": 20,
            "sqsManagedSseEnabled": True,
            "redrivePolicy": {"deadLetterTargetArn": DEAD_LETTER_QUEUE_ARN, "maxReceiveCount": 5},
        },
        (MAPPING, "orders-relay-mapping"): {
            "eventSourceArn": STREAM_ARN,
            "functionName": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:orders-relay-function-1a2b3c4",
            "enabled": True,
            "batchSize": 1,
            "startingPosition": "TRIM_HORIZON",
            "maximumBatchingWindowInSeconds": 0,
            "maximumRetryAttempts": 100,
            "maximumRecordAgeInSeconds": 3600,
            "parallelizationFactor": 1,
            "functionResponseTypes": ["ReportBatchItemFailures"],
            "filterCriteria": {
                "filters": [
                    {"pattern": '{"eventName":["INSERT"],"dynamodb":{"NewImage":{"kind":{"S":["OUTBOX"]}}}}'}
                ]
            },
        },
        (MAPPING, "sales-consumer-mapping"): {
            "eventSourceArn": QUEUE_ARN,
            "functionName": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:sales-consumer-function-1a2b3c4",
            "enabled": True,
            "batchSize": 1,
            "maximumBatchingWindowInSeconds": 0,
            "scalingConfig": {"maximumConcurrency": 2},
            "functionResponseTypes": ["ReportBatchItemFailures"],
        },
    }
    for purpose, name in FUNCTIONS.items():
        resources |= function_inputs(name, purpose, STATEMENTS[name], ENVIRONMENTS[name])
    return resources


def function_inputs(
    name: str, purpose: str, statements: list[dict[str, Any]], variables: dict[str, str]
) -> dict[tuple[str, str], dict[str, Any]]:
    """A function with its log group, role and policy, and all their inputs but the code."""
    logs = {
        "Sid": "WriteFunctionLogs",
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "Resource": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:{name}-logs-1a2b3c4:*",
    }
    return {
        (LOG_GROUP, f"{name}-logs"): {"retentionInDays": 1, "logGroupClass": "STANDARD"},
        (ROLE, f"{name}-role"): {"assumeRolePolicy": TRUST},
        (ROLE_POLICY, f"{name}-policy"): {
            "role": f"{name}-role-1a2b3c4",
            "policy": {
                "Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", **statement} for statement in [*statements, logs]],
            },
        },
        (FUNCTION, f"{name}-function"): {
            "role": f"arn:aws:iam::{ACCOUNT}:role/{name}-role-1a2b3c4",
            "runtime": "python3.14",
            "architectures": ["x86_64"],
            "handler": f"{purpose}.lambda_handler",
            "memorySize": 256,
            "timeout": 10,
            "ephemeralStorage": {"size": 512},
            "environment": {"variables": variables},
            "loggingConfig": {"logFormat": "Text", "logGroup": f"{name}-logs-1a2b3c4"},
        },
    }
