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
    "nonKeyAttributes": ["body", "expires_at", "headers"],
}
RELAY, CONSUMER = "orders-relay-mapping", "sales-consumer-mapping"
ELSEWHERE = {"productionStacks": ["live"]}

QUEUES = (
    setting(
        "queue-dead-letter",
        "sales-queue.redrivePolicy",
        f'{{"deadLetterTargetArn": "{DEAD_LETTER_ARN}", "maxReceiveCount": 3}}',
        "it allows 3, and throttled deliveries count too",
        missing_findings=2,  # nothing is redriven to the other queue any more: it needs dead letters, too
        unknown=unknown_from("sales-queue", "redrivePolicy"),
        allowed={"minimumReceives": 3.0},
    ),
    setting(
        "queue-visibility",
        "sales-queue.visibilityTimeoutSeconds",
        59.0,
        "for 60 s or more (6 timeouts of 'sales-consumer-function' and the batch window); it does for 59 s",
        unknown=unknown("sales-consumer-function", "timeout"),
        allowed={"timeouts": 5.5},
    ),
    setting("queue-encrypted", "sales-queue.sqsManagedSseEnabled", False, "must say that it is encrypted"),
    setting(
        "queue-long-polling",
        "sales-queue.receiveWaitTimeSeconds",
        10.0,
        "it waits 10 s",
        allowed={"minimumSeconds": 10.0},
    ),
    setting(
        "queue-message-size",
        "sales-queue.maxMessageSize",
        262_144.0,
        "must take messages of 1048576 bytes; it takes 262144",
        allowed={"minimumBytes": 262_144.0},
    ),
    setting(
        "queue-retention",
        "sales-queue.messageRetentionSeconds",
        3600.0,
        "must keep messages for 86400 s or more; it keeps them 3600 s",
        missing_findings=0,
        allowed={"minimumSeconds": 3600.0},
    ),
    setting(
        "cost-no-customer-managed-key",
        "sales-queue.kmsMasterKeyId",
        "a-key",
        "kmsMasterKeyId names one",
        missing_findings=0,
        allowed={"allowedKeys": ["a-key"]},
    ),
)
FUNCTIONS = (
    setting(
        "function-can-run",
        "orders-relay-function.timeout",
        9.0,
        "its timeout is 9 s, and its work may take 10 s",
        allowed={"minimumTimeoutSeconds": 9.0},
    ),
    setting(
        "cost-function-bounds",
        "orders-relay-function.memorySize",
        2048.0,
        "must have memorySize of 1024 at most; it is 2048",
        missing_findings=0,
        allowed={"maximumMemoryMegabytes": 2048.0},
    ),
    setting(
        "fault-injection-off",
        "sales-consumer-function.environment.variables.FAULT_AFTER_COMMIT",
        "order-b",
        "its environment has FAULT_AFTER_COMMIT",
        missing=without("sales-consumer-function", "environment"),
        missing_findings=0,
        unknown=unknown("sales-consumer-function", "environment"),
        allowed={"productionStacks": []},
        stack="prod",
    ),
    setting(
        "logs-retention-one-day",
        "orders-relay-logs.retentionInDays",
        7.0,
        "must be kept exactly 1 day(s); it is kept 7 days",
        allowed={"days": 7.0, "exempt": ["orders-command-logs", "sales-consumer-logs"]},
    ),
    setting(
        "lambda-log-group-explicit",
        "orders-relay-function.loggingConfig.logGroup",
        "/aws/lambda/elsewhere",
        "it names one from elsewhere",
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
        "mapping-failure-reporting", f"{CONSUMER}.functionResponseTypes", [], "must heed reported failures"
    ),
    setting(
        "mapping-finite-retries",
        f"{RELAY}.maximumRecordAgeInSeconds",
        -1.0,
        "must have maximumRecordAgeInSeconds from 60 to 604800; it is -1",
        unknown=unknown(RELAY, "maximumRetryAttempts"),
    ),
    setting(
        "mapping-stream-filter",
        f"{RELAY}.filterCriteria",
        {"filters": [{"pattern": '{"a": ["b"]}'}]},
        "its filter differs",
    ),
    setting("mapping-stream-start", f"{RELAY}.startingPosition", value="LATEST", says="it starts at LATEST"),
    setting(
        "mapping-enabled", f"{RELAY}.enabled", False, "it is off and nothing is delivered", missing_findings=0
    ),
    setting(
        "mapping-no-provisioned-pollers",
        f"{CONSUMER}.provisionedPollerConfig",
        {"minimumPollers": 2.0},
        "must use no provisioned pollers",
        missing_findings=0,
        unknown_findings=1,
    ),
    setting(
        "mapping-within-limits",
        f"{CONSUMER}.scalingConfig",
        {},
        "must have a maximumConcurrency",
        unknown=unknown(CONSUMER, "batchSize"),
        allowed={"boundedConcurrency": False},
    ),
)
TABLES = (
    setting("table-on-demand", "orders-source.billingMode", "PROVISIONED", "its capacity is provisioned"),
    setting(
        "table-stream-new-image",
        "orders-source.streamViewType",
        "KEYS_ONLY",
        "its stream holds KEYS_ONLY",
        allowed={"viewTypes": ["KEYS_ONLY"]},
    ),
    setting(
        "table-protected",
        "orders-source.deletionProtectionEnabled",
        False,
        "must be protected in stack 'prod'",
        allowed=ELSEWHERE,
        stack="prod",
    ),
    setting(
        "table-recoverable",
        "orders-source.pointInTimeRecovery",
        {"enabled": False},
        "must have point-in-time recovery in stack 'prod'",
        allowed=ELSEWHERE,
        stack="prod",
    ),
    setting(
        "table-contract",
        "sales-projection.ttl",
        {"enabled": True, "attributeName": "expires"},
        "must let nothing expire",
        missing=without("sales-projection", "rangeKey"),
        unknown=unknown("sales-projection", "hashKey"),
        allowed={"allowExpiry": True},
    ),
    setting(
        "table-index-contract",
        "orders-source.globalSecondaryIndexes",
        [INDEX | {"projectionType": "ALL"}],
        "it holds whole items",
        allowed={"allowWhole": True},
        stack="prod",
    ),
)
ALARMS = (
    setting(
        "alarm-can-fire",
        "outbox-oldest-message.evaluationPeriods",
        6.0,
        "it evaluates other than 1 to 5 periods",
        missing=without("outbox-oldest-message", "treatMissingData"),
        unknown=unknown("outbox-oldest-message", "threshold"),
        allowed={"maximumPeriods": 6.0},
        stack="prod",
    ),
    setting(
        "alarm-runbook",
        "outbox-dead-letters.alarmDescription",
        "Look at the queue.",
        "it names no section of a runbook",
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
