"""The rules on queues, mappings, tables, functions, alarms and schedules, each with the ways in which it is met."""

from tests.policy.case import Case, setting
from tests.policy.changes import set_to, unknown, unknown_from, without
from tests.policy.worlds import ACCOUNT

DEAD_LETTER_ARN = f"arn:aws:sqs:us-east-1:{ACCOUNT}:sales-dead-letter-queue-1a2b3c4"
INDEX = {
    "name": "by-stored-minute",
    "hashKey": "index_shard",
    "rangeKey": "stored_minute",
    "projectionType": "INCLUDE",
    "nonKeyAttributes": ["body", "expires_at"],
}
RELAY, CONSUMER = "orders-relay-mapping", "sales-consumer-mapping"
ELSEWHERE = {"productionStacks": ["live"]}

QUEUES = (
    setting(
        "queue-dead-letter",
        *("sales-queue", "redrivePolicy"),
        value=f'{{"deadLetterTargetArn": "{DEAD_LETTER_ARN}", "maxReceiveCount": 3}}',
        says="it allows 3, and throttled deliveries count too",
        missing_findings=2,  # nothing is redriven to the other queue any more: it needs dead letters, too
        unknown=unknown_from("sales-queue", "redrivePolicy"),
        allowed={"minimumReceives": 3.0},
    ),
    setting(
        "queue-visibility",
        *("sales-queue", "visibilityTimeoutSeconds"),
        value=59.0,
        says="for 60 s or more (6 timeouts of 'sales-consumer-function' and the batch window); it does for 59 s",
        unknown=unknown("sales-consumer-function", "timeout"),
        allowed={"timeouts": 5.5},
    ),
    setting(
        "queue-encrypted",
        *("sales-queue", "sqsManagedSseEnabled"),
        value=False,
        says="must say that it is encrypted",
    ),
    setting(
        "queue-long-polling",
        *("sales-queue", "receiveWaitTimeSeconds"),
        value=10.0,
        says="it waits 10 s",
        allowed={"minimumSeconds": 10.0},
    ),
    setting(
        "queue-message-size",
        *("sales-queue", "maxMessageSize"),
        value=262_144.0,
        says="must take messages of 1048576 bytes; it takes 262144",
        allowed={"minimumBytes": 262_144.0},
    ),
    setting(
        "queue-retention",
        *("sales-queue", "messageRetentionSeconds"),
        value=3600.0,
        says="must keep messages for 86400 s or more; it keeps them 3600 s",
        missing_findings=0,
        allowed={"minimumSeconds": 3600.0},
    ),
    setting(
        "cost-no-customer-managed-key",
        *("sales-queue", "kmsMasterKeyId"),
        value="a-key",
        says="kmsMasterKeyId names one",
        missing_findings=0,
        allowed={"allowedKeys": ["a-key"]},
    ),
)
FUNCTIONS = (
    setting(
        "function-can-run",
        *("orders-relay-function", "timeout"),
        value=9.0,
        says="its timeout is 9 s, and its work may take 10 s",
        allowed={"minimumTimeoutSeconds": 9.0},
    ),
    setting(
        "cost-function-bounds",
        *("orders-relay-function", "memorySize"),
        value=2048.0,
        says="must have memorySize of 1024 at most; it is 2048",
        missing_findings=0,
        allowed={"maximumMemoryMegabytes": 2048.0},
    ),
    setting(
        "fault-injection-off",
        *("sales-consumer-function", "environment", "variables", "FAULT_AFTER_COMMIT"),
        value="order-b",
        says="its environment has FAULT_AFTER_COMMIT",
        missing=without("sales-consumer-function", "environment"),
        missing_findings=0,
        unknown=unknown("sales-consumer-function", "environment"),
        allowed={"productionStacks": []},
        stack="prod",
    ),
    setting(
        "logs-retention-one-day",
        *("orders-relay-logs", "retentionInDays"),
        value=7.0,
        says="must be kept exactly 1 day(s); it is kept 7 days",
        allowed={"days": 7.0, "exempt": ["orders-command-logs", "sales-consumer-logs"]},
    ),
    setting(
        "lambda-log-group-explicit",
        *("orders-relay-function", "loggingConfig", "logGroup"),
        value="/aws/lambda/elsewhere",
        says="it names one from elsewhere",
        missing=without("orders-relay-function", "loggingConfig"),
        unknown=unknown("orders-relay-policy", "policy"),
    ),
    Case(
        rule="schedule-starts-function",
        named="sales-reconciler-function",
        breaks=set_to("sales-reconciler-schedule", "scheduleExpression", value="rate(2 hours)"),
        says="'sales-reconciler-schedule' starts it every 2 hours",
        missing=without("sales-reconciler-permission", "sourceArn"),
        unknown=unknown("sales-reconciler-schedule", "scheduleExpression"),
        allowed={"maximumMinutes": 120.0},
        stack="prod",
    ),
)
MAPPINGS = (
    setting(
        "mapping-failure-reporting",
        *(CONSUMER, "functionResponseTypes"),
        value=[],
        says="must heed reported failures",
    ),
    setting(
        "mapping-finite-retries",
        *(RELAY, "maximumRecordAgeInSeconds"),
        value=-1.0,
        says="must have maximumRecordAgeInSeconds from 60 to 604800; it is -1",
        unknown=unknown(RELAY, "maximumRetryAttempts"),
    ),
    setting(
        "mapping-stream-filter",
        *(RELAY, "filterCriteria"),
        value={"filters": [{"pattern": '{"a": ["b"]}'}]},
        says="its filter differs",
    ),
    setting("mapping-stream-start", RELAY, "startingPosition", value="LATEST", says="it starts at LATEST"),
    setting(
        "mapping-enabled",
        *(RELAY, "enabled"),
        value=False,
        says="it is off and nothing is delivered",
        missing_findings=0,
    ),
    setting(
        "mapping-no-provisioned-pollers",
        *(CONSUMER, "provisionedPollerConfig"),
        value={"minimumPollers": 2.0},
        says="must use no provisioned pollers",
        missing_findings=0,
        unknown_findings=1,
    ),
    setting(
        "mapping-within-limits",
        *(CONSUMER, "scalingConfig"),
        value={},
        says="must have a maximumConcurrency",
        unknown=unknown(CONSUMER, "batchSize"),
        allowed={"boundedConcurrency": False},
    ),
)
TABLES = (
    setting(
        "table-on-demand",
        *("orders-source", "billingMode"),
        value="PROVISIONED",
        says="its capacity is provisioned",
    ),
    setting(
        "table-stream-new-image",
        *("orders-source", "streamViewType"),
        value="KEYS_ONLY",
        says="its stream holds KEYS_ONLY",
        allowed={"viewTypes": ["KEYS_ONLY"]},
    ),
    setting(
        "table-protected",
        *("orders-source", "deletionProtectionEnabled"),
        value=False,
        says="must be protected in stack 'prod'",
        allowed=ELSEWHERE,
        stack="prod",
    ),
    setting(
        "table-contract",
        *("sales-projection", "ttl"),
        value={"enabled": True, "attributeName": "expires"},
        says="must let nothing expire",
        missing=without("sales-projection", "rangeKey"),
        unknown=unknown("sales-projection", "hashKey"),
        allowed={"allowExpiry": True},
    ),
    setting(
        "table-index-contract",
        *("orders-source", "globalSecondaryIndexes"),
        value=[INDEX | {"projectionType": "ALL"}],
        says="it holds whole items",
        allowed={"allowWhole": True},
        stack="prod",
    ),
)
ALARMS = (
    setting(
        "alarm-can-fire",
        *("outbox-oldest-message", "evaluationPeriods"),
        value=6.0,
        says="it evaluates other than 1 to 5 periods",
        missing=without("outbox-oldest-message", "treatMissingData"),
        unknown=unknown("outbox-oldest-message", "threshold"),
        allowed={"maximumPeriods": 6.0},
        stack="prod",
    ),
    setting(
        "alarm-runbook",
        *("outbox-dead-letters", "alarmDescription"),
        value="Look at the queue.",
        says="it names no section of a runbook",
        allowed=ELSEWHERE,
        stack="prod",
    ),
    Case(
        rule="alarm-dead-letters",
        named="sales-dead-letter-queue",
        breaks=set_to("outbox-dead-letters", "threshold", value=2.0),
        says="an alarm that fires at 1 message(s); its alarm fires at 2",
        missing=without("outbox-dead-letters", "dimensions"),
        unknown=unknown("outbox-dead-letters", "threshold"),
        allowed={"maximumMessages": 2.0},
        stack="prod",
    ),
)
SETTINGS = (*QUEUES, *FUNCTIONS, *MAPPINGS, *TABLES, *ALARMS)
