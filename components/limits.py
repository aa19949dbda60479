"""The table of settings: each row has the argument's name with its unit, its default and its range, with the source.

A whole number's row reads: name, default, least, most.

A component takes the setting whose name its args type has; the argument's text is there. `make schema` writes
`Pulumi.yaml`, the package's schema and the tables of docs/settings.md from both. Cross-field rules are in
relations.py and lifetimes.py.
"""

import math

from .validation import NOT_RESERVED, UNLIMITED, Choice, ListOf, Row, Switch, WholeNumber, Words

DAY_SECONDS = 24 * 60 * 60

# No call of a handler starts with less time left than RESERVE_SECONDS of outbox.retry, which a test holds equal.
SLOWEST_CALL_SECONDS = 7.5
OWN_WORK_SECONDS = 2  # of a handler before its first call
SHORTEST_TIMEOUT_SECONDS = math.ceil(SLOWEST_CALL_SECONDS + OWN_WORK_SECONDS)

# Functions. https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
FUNCTION_TIMEOUT_SECONDS = WholeNumber(
    "function_timeout_seconds",
    default=10,
    minimum=SHORTEST_TIMEOUT_SECONDS,
    maximum=900,
    rule="the handlers' slowest call to AWS, with its retry, has to end before",
)
FUNCTION_MEMORY_MEGABYTES = WholeNumber("function_memory_megabytes", 256, 128, 10_240)
# CloudWatch Logs keeps whole steps only.
# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
LOG_RETENTION_DAYS = Choice(
    "log_retention_days",
    default=1,
    values=(
        *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
        *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
    ),
)
# https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-logformat.html
LOG_FORMAT = Choice("log_format", "JSON", values=("Text", "JSON"))
ARCHITECTURE = Choice("architecture", "x86_64", values=("x86_64", "arm64"))
DEPENDENCIES = Choice("dependencies", "runtime", values=("runtime", "bundled"))
# https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
RESERVED_CONCURRENCY = WholeNumber(
    "reserved_concurrency",
    default=NOT_RESERVED,
    minimum=1,
    maximum=1_000_000,
    outside=NOT_RESERVED,
    outside_means="to share the account's concurrency",
    rule="0 would stop the function",
)

PROTECT_TABLES = Switch("protect_tables")
RECONCILE_INDEX = Switch("reconcile_index")
POINT_IN_TIME_RECOVERY = Switch("point_in_time_recovery")
TRACING = Switch("tracing")
PUBLISHES = Switch("publishes")

# Stream mappings. https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
# A batch of 100 is ten SendMessageBatch calls; the window is its price in latency.
STREAM_BATCH_SIZE = WholeNumber("stream_batch_size", 100, 1, 10_000)
STREAM_BATCH_WINDOW_SECONDS = WholeNumber("stream_batch_window_seconds", 1, 0, 300)
STREAM_PARALLELIZATION = WholeNumber("stream_parallelization", 1, 1, 10)
# As long as the stream itself keeps a record, and within the number of attempts that Lambda counts.
STREAM_MAXIMUM_RETRIES = WholeNumber(
    "stream_maximum_retries",
    default=10_000,
    minimum=0,
    maximum=10_000,
    outside=UNLIMITED,
    outside_means="without limit",
)
STREAM_MAXIMUM_RECORD_AGE_SECONDS = WholeNumber(
    "stream_maximum_record_age_seconds",
    default=DAY_SECONDS,
    minimum=60,
    maximum=604_800,
    outside=UNLIMITED,
    outside_means="without limit",
)
ALLOW_UNLIMITED_RETRIES = Switch("allow_unlimited_retries")
FAILURE_QUEUE = Switch("failure_queue", default=True)

# Queues. https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
QUEUE_RETENTION_SECONDS = WholeNumber("queue_retention_seconds", 4 * DAY_SECONDS, 60, 14 * DAY_SECONDS)
DEAD_LETTER_RETENTION_SECONDS = WholeNumber(
    "dead_letter_retention_seconds", 14 * DAY_SECONDS, 60, 14 * DAY_SECONDS
)
VISIBILITY_TIMEOUT_SECONDS = WholeNumber(
    "visibility_timeout_seconds",
    default=0,
    minimum=60,
    maximum=43_200,
    outside=0,
    outside_means="for the least that is safe",
)
# The floor is Lambda's advice for queues that feed a function.
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
MAXIMUM_RECEIVES = WholeNumber(
    "maximum_receives",
    default=5,
    minimum=5,
    maximum=1000,
    rule="deliveries that Lambda throttles count too, so fewer would dead-letter messages no handler saw",
)

# Queue mappings. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
# 99 and not 100: DynamoDB takes 100 actions in a transaction, and one of them is the total. The hundredth message
# would need a second transaction on the item that executions compete for.
QUEUE_BATCH_SIZE = WholeNumber("queue_batch_size", 99, 1, 10_000)
QUEUE_BATCH_WINDOW_SECONDS = WholeNumber("queue_batch_window_seconds", 1, 0, 300)
QUEUE_MAXIMUM_CONCURRENCY = WholeNumber("queue_maximum_concurrency", 10, 2, 1000)

# The consumer's total. Beyond one shard for each invocation at a time there is nothing to gain.
AGGREGATE_SHARDS = WholeNumber("aggregate_shards", 1, 1, 1000)
# An order's id as handlers/orders.py has it; a test holds them together.
FAULT_AFTER_COMMIT = Words(
    "fault_after_commit",
    default="",
    pattern=r"[a-z0-9-]{0,40}",
    means="an order id (1-40 lowercase letters, digits or hyphens), or empty for no fault",
)

# Reconciliation. The longest that SQS keeps a message bounds the horizon.
RECONCILER_INTERVAL_MINUTES = WholeNumber("reconciler_interval_minutes", 5, 1, 60)
RECONCILER_MARGIN_SECONDS = WholeNumber("reconciler_margin_seconds", 900, 60, DAY_SECONDS)
RECONCILER_HORIZON_SECONDS = WholeNumber(
    "reconciler_horizon_seconds", 14 * DAY_SECONDS, 3600, 14 * DAY_SECONDS
)

RECONCILER_START = Words(
    "reconciler_start",
    default="",
    pattern=r"[0-9T:.+Z -]{0,40}",
    means="a time such as 2026-09-05T12:00Z (UTC without a zone), epoch seconds of 9 or 10 digits, or empty for none",
)

# Lifetimes; 0 is for ever. lifetimes.py has further rules.
LIFETIME_MAXIMUM_SECONDS = 2 * 365 * DAY_SECONDS
LIFETIME_RULE = "more than two years looks like milliseconds, and seconds are meant"
OUTBOX_ROW_LIFETIME_SECONDS = WholeNumber(
    "outbox_row_lifetime_seconds",
    default=0,
    minimum=0,
    maximum=LIFETIME_MAXIMUM_SECONDS,
    rule=LIFETIME_RULE,
)
INBOX_MARKER_LIFETIME_SECONDS = WholeNumber(
    "inbox_marker_lifetime_seconds",
    default=0,
    minimum=0,
    maximum=LIFETIME_MAXIMUM_SECONDS,
    rule=LIFETIME_RULE,
)

# Alarms. What each counts is told in components/alarms.py.
ALARM_TOPIC_ARNS = ListOf("alarm_topic_arns", (), "ARNs of SNS topics")
RUNBOOK_URL = Words(
    "runbook_url",
    default="docs/runbook.md",
    pattern=r"[^\s#]{1,500}",
    means="an address of 1 to 500 characters without spaces and without '#', to which each alarm appends its section",
)
ALARM_DEAD_LETTERS = WholeNumber("alarm_dead_letters", 1, 1, 120_000)
ALARM_MESSAGE_AGE_SECONDS = WholeNumber("alarm_message_age_seconds", 600, 60, 14 * DAY_SECONDS)
ALARM_STREAM_AGE_SECONDS = WholeNumber(
    "alarm_stream_age_seconds",
    default=600,
    minimum=60,
    maximum=DAY_SECONDS,
    rule="a stream keeps a record no longer than a day",
)
ALARM_COMMAND_ERRORS = WholeNumber("alarm_command_errors", 10, 1, 1_000_000)
ALARM_FUNCTION_ERRORS = WholeNumber("alarm_function_errors", 3, 1, 1_000_000)
ALARM_THROTTLES = WholeNumber("alarm_throttles", 10, 1, 1_000_000)

ROWS: dict[str, Row] = {row.field: row for row in list(globals().values()) if isinstance(row, Row)}
"""Every row, by its argument's name."""
