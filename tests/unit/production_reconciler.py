"""The reconciler of the prod stack, written out by hand, and what the source table has for it."""

from typing import Any

from tests.unit.aws_mocks import (
    FUNCTION,
    LOG_GROUP,
    NAME_END,
    PERMISSION,
    ROLE,
    ROLE_POLICY,
    SCHEDULE,
    TARGET,
)
from tests.unit.walkthrough import (
    ACCOUNT,
    PROJECTION_TABLE_ARN,
    QUEUE_ARN,
    QUEUE_URL,
    SOURCE_TABLE_ARN,
    TRUST,
)

NAME = "sales-reconciler"
FUNCTION_NAME = f"{NAME}-function{NAME_END}"
FUNCTION_ARN = f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{FUNCTION_NAME}"
SCHEDULE_ARN = f"arn:aws:events:us-east-1:{ACCOUNT}:rule/{NAME}-schedule{NAME_END}"
INDEX = "by-stored-minute"
STATEMENTS: list[dict[str, Any]] = [
    {
        "Sid": "FindOutboxRows",
        "Action": ["dynamodb:Query"],
        "Resource": f"{SOURCE_TABLE_ARN}/index/{INDEX}",
    },
    {"Sid": "ReadInboxMarkers", "Action": ["dynamodb:BatchGetItem"], "Resource": PROJECTION_TABLE_ARN},
    {"Sid": "ResendOutbox", "Action": ["sqs:SendMessage"], "Resource": QUEUE_ARN},
    {
        "Sid": "WriteFunctionLogs",
        "Action": ["logs:CreateLogStream", "logs:PutLogEvents"],
        "Resource": f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:{NAME}-logs{NAME_END}:*",
    },
]
INDEXED_TABLE = {
    "attributes": [{"name": name, "type": "S"} for name in ("PK", "SK", "index_shard", "stored_minute")],
    "globalSecondaryIndexes": [
        {
            "name": INDEX,
            "hashKey": "index_shard",
            "rangeKey": "stored_minute",
            "projectionType": "INCLUDE",
            "nonKeyAttributes": ["body", "expires_at"],
        }
    ],
}


def reconciler_inputs() -> dict[tuple[str, str], dict[str, Any]]:
    """Every resource of the reconciler with all its inputs but the code."""
    return {
        (LOG_GROUP, f"{NAME}-logs"): {"retentionInDays": 1, "logGroupClass": "STANDARD"},
        (ROLE, f"{NAME}-role"): {"assumeRolePolicy": TRUST},
        (ROLE_POLICY, f"{NAME}-policy"): {
            "role": f"{NAME}-role{NAME_END}",
            "policy": {
                "Version": "2012-10-17",
                "Statement": [{"Effect": "Allow", **statement} for statement in STATEMENTS],
            },
        },
        (FUNCTION, f"{NAME}-function"): {
            "role": f"arn:aws:iam::{ACCOUNT}:role/{NAME}-role{NAME_END}",
            "runtime": "python3.14",
            "architectures": ["x86_64"],
            "handler": "reconciler.lambda_handler",
            "memorySize": 1769,
            "timeout": 300,
            "ephemeralStorage": {"size": 512},
            "environment": {
                "variables": {
                    "SOURCE_TABLE": f"orders-source{NAME_END}",
                    "SOURCE_INDEX": INDEX,
                    "PROJECTION_TABLE": f"sales-projection{NAME_END}",
                    "QUEUE_URL": QUEUE_URL,
                    "RECONCILE_INTERVAL_MINUTES": "5",
                    "RECONCILE_MARGIN_SECONDS": "900",
                    "RECONCILE_HORIZON_SECONDS": "1209600",
                }
            },
            "loggingConfig": {"logFormat": "JSON", "logGroup": f"{NAME}-logs{NAME_END}"},
        },
        (SCHEDULE, f"{NAME}-schedule"): {"scheduleExpression": "rate(5 minutes)", "state": "ENABLED"},
        (TARGET, f"{NAME}-target"): {"rule": f"{NAME}-schedule{NAME_END}", "arn": FUNCTION_ARN},
        (PERMISSION, f"{NAME}-permission"): {
            "action": "lambda:InvokeFunction",
            "function": FUNCTION_NAME,
            "principal": "events.amazonaws.com",
            "sourceArn": SCHEDULE_ARN,
        },
    }
