"""The reconciler of the prod stack, written out by hand, and what the source table has for it."""

from typing import Any

from tests.unit.aws_mocks import (
    FUNCTION,
    NAME_END,
    PERMISSION,
    SCHEDULE,
    TARGET,
)
from tests.unit.walkthrough import (
    ACCOUNT,
    PROJECTION_TABLE_ARN,
    QUEUE_ARN,
    QUEUE_URL,
    SOURCE_TABLE_ARN,
    function_inputs,
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
]
INDEXED_TABLE = {
    "attributes": [{"name": name, "type": "S"} for name in ("PK", "SK", "index_shard", "stored_minute")],
    "globalSecondaryIndexes": [
        {
            "name": INDEX,
            "hashKey": "index_shard",
            "rangeKey": "stored_minute",
            "projectionType": "INCLUDE",
            "nonKeyAttributes": ["body", "expires_at", "headers"],
        }
    ],
}


VARIABLES = {
    "SOURCE_TABLE": f"orders-source{NAME_END}",
    "SOURCE_INDEX": INDEX,
    "PROJECTION_TABLE": f"sales-projection{NAME_END}",
    "QUEUE_URL": QUEUE_URL,
    "RECONCILE_INTERVAL_MINUTES": "5",
    "RECONCILE_MARGIN_SECONDS": "900",
    "RECONCILE_HORIZON_SECONDS": "1209600",
}


def reconciler_inputs() -> dict[tuple[str, str], dict[str, Any]]:
    """Every resource of the reconciler with all its inputs but the code."""
    inputs = function_inputs(NAME, "reconciler", STATEMENTS, VARIABLES)
    inputs[FUNCTION, f"{NAME}-function"] |= {"memorySize": 1769, "timeout": 300}
    inputs[FUNCTION, f"{NAME}-function"]["loggingConfig"]["logFormat"] = "JSON"
    return {
        **inputs,
        (SCHEDULE, f"{NAME}-schedule"): {"scheduleExpression": "rate(5 minutes)", "state": "ENABLED"},
        (TARGET, f"{NAME}-target"): {"rule": f"{NAME}-schedule{NAME_END}", "arn": FUNCTION_ARN},
        (PERMISSION, f"{NAME}-permission"): {
            "action": "lambda:InvokeFunction",
            "function": FUNCTION_NAME,
            "principal": "events.amazonaws.com",
            "sourceArn": SCHEDULE_ARN,
        },
    }
