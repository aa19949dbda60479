"""Documented limits of the services that an event passes, each with its source."""

# --- DynamoDB -------------------------------------------------------------------------------------------
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
MAXIMUM_ITEM_BYTES = 400 * 1024
MAXIMUM_TRANSACTION_ACTIONS = 100
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html
WRITE_UNIT_BYTES = 1024
READ_UNIT_BYTES = 4 * 1024
MAXIMUM_PAGE_BYTES = 1024 * 1024  # of a query
WRITE_UNITS_PER_TRANSACTIONAL_KILOBYTE = 2
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/burst-adaptive-capacity.html
PARTITION_WRITE_UNITS_PER_SECOND = 1_000
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html
NEW_TABLE_WRITE_UNITS_PER_SECOND = 4_000
# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
STORAGE_OVERHEAD_BYTES_PER_ITEM = 100

# --- SQS ------------------------------------------------------------------------------------------------
# https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
MAXIMUM_BATCH_ENTRIES = 10
MAXIMUM_SQS_CALL_BYTES = 1_048_576
SQS_REQUEST_UNIT_BYTES = 64 * 1024  # https://aws.amazon.com/sqs/pricing/

# --- Lambda ---------------------------------------------------------------------------------------------
# https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
MAXIMUM_INVOCATION_BYTES = 6 * 1024 * 1024
INVOCATIONS_PER_SECOND_PER_ENVIRONMENT = 10
# https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html
ENVIRONMENTS_ADDED_PER_SECOND = 100
# https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
STREAM_POLLS_PER_SECOND = 4
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
INITIAL_QUEUE_POLLERS = 5
CONSUMERS_ADDED_PER_MINUTE = 300
MAXIMUM_QUEUE_CONCURRENCY = 1_000
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
MINIMUM_QUEUE_CONCURRENCY = 2
MAXIMUM_BATCH_WITHOUT_WINDOW = 10
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
VISIBILITY_PER_TIMEOUT = 6

_LAMBDA = "https://docs.aws.amazon.com/lambda/latest/dg"
_SQS = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide"
_DYNAMODB = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide"
_TRANSACTIONS_PER_ITEM = PARTITION_WRITE_UNITS_PER_SECOND // WRITE_UNITS_PER_TRANSACTIONAL_KILOBYTE

QUOTAS: dict[str, tuple[int, int | None, str]] = {
    "Lambda concurrency, account": (
        1_000,
        99_999,
        f"{_LAMBDA}/gettingstarted-limits.html",
    ),  # "tens of thousands"
    "Lambda concurrency, queue mapping": (
        MAXIMUM_QUEUE_CONCURRENCY,
        MAXIMUM_QUEUE_CONCURRENCY,
        f"{_LAMBDA}/services-sqs-scaling.html",
    ),
    "Source table write units/s": (40_000, None, f"{_DYNAMODB}/ServiceQuotas.html"),
    "Projection table write units/s": (40_000, None, f"{_DYNAMODB}/ServiceQuotas.html"),
    "SQS messages in flight": (120_000, None, f"{_SQS}/quotas-queues.html"),
    "Transactions/s on one total": (
        _TRANSACTIONS_PER_ITEM,
        _TRANSACTIONS_PER_ITEM,
        f"{_DYNAMODB}/burst-adaptive-capacity.html",
    ),
}
"""Quotas: the default of a service, the most it documents (None where AWS names none), and the page."""
