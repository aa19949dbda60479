"""The prod stack: what it changes of the walkthrough and what it adds, written out by hand."""

from typing import Any

from tests.unit import walkthrough
from tests.unit.aws_mocks import DASHBOARD, FUNCTION, MAPPING, QUEUE, ROLE_POLICY, TABLE
from tests.unit.production_alarms import alarm_inputs
from tests.unit.production_reconciler import INDEXED_TABLE, reconciler_inputs
from tests.unit.walkthrough import ACCOUNT, FUNCTIONS

FAILURE_QUEUE_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:orders-relay-failures-1a2b3c4"
FAILURE_QUEUE_URL = f"https://sqs.us-east-1.test/{ACCOUNT}/orders-relay-failures-1a2b3c4"

KEPT_TABLE = {"deletionProtectionEnabled": True, "pointInTimeRecovery": {"enabled": True}}

CHANGES: dict[tuple[str, str], dict[str, Any]] = {
    (TABLE, "orders-source"): {**KEPT_TABLE, **INDEXED_TABLE},
    (TABLE, "sales-projection"): KEPT_TABLE,
    (QUEUE, "sales-dead-letter-queue"): {"messageRetentionSeconds": 14 * 86400},
    (QUEUE, "sales-queue"): {"messageRetentionSeconds": 4 * 86400, "visibilityTimeoutSeconds": 61},
    (MAPPING, "orders-relay-mapping"): {
        "batchSize": 100,
        "maximumBatchingWindowInSeconds": 1,
        "maximumRetryAttempts": 10_000,
        "maximumRecordAgeInSeconds": 86_400,
        "destinationConfig": {"onFailure": {"destinationArn": FAILURE_QUEUE_ARN}},
    },
    (MAPPING, "sales-consumer-mapping"): {
        "batchSize": 99,
        "maximumBatchingWindowInSeconds": 1,
        "scalingConfig": {"maximumConcurrency": 10},
    },
    (FUNCTION, "orders-command-function"): {
        "environment": {"variables": {"SOURCE_TABLE": "orders-source-1a2b3c4", "RECONCILE_INDEX": "1"}},
    },
    (FUNCTION, "orders-relay-function"): {"reservedConcurrentExecutions": 10},
    (FUNCTION, "sales-consumer-function"): {
        "reservedConcurrentExecutions": 10,
        "environment": {
            "variables": {"PROJECTION_TABLE": "sales-projection-1a2b3c4", "AGGREGATE_SHARDS": "20"}
        },
    },
}
FAILURE_QUEUE = {
    "maxMessageSize": 1_048_576,
    "messageRetentionSeconds": 14 * 86400,
    "receiveWaitTimeSeconds": 20,
    "sqsManagedSseEnabled": True,
}
REPORT_FAILED_RECORDS = {
    "Sid": "ReportFailedRecords",
    "Effect": "Allow",
    "Action": ["sqs:SendMessage"],
    "Resource": FAILURE_QUEUE_ARN,
}


def resources() -> dict[tuple[str, str], dict[str, Any]]:
    """Every resource of the prod stack with all its inputs but code, descriptions and the dashboard's body."""
    resources = walkthrough.resources()
    for key, changes in CHANGES.items():
        resources[key] |= changes
    for name in FUNCTIONS.values():
        resources[FUNCTION, f"{name}-function"]["loggingConfig"]["logFormat"] = "JSON"
    resources[QUEUE, "orders-relay-failures"] = FAILURE_QUEUE
    resources |= alarm_inputs() | reconciler_inputs()
    resources[DASHBOARD, "outbox-dashboard"] = {"dashboardName": "outbox-dashboard-1a2b3c4"}
    relay_statements = resources[ROLE_POLICY, "orders-relay-policy"]["policy"]["Statement"]
    relay_statements.insert(-1, REPORT_FAILED_RECORDS)
    return resources
