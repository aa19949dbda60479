"""The reviewed contract: what each function may do and must be able to do, and what it relies on.

This is data for reviewers. It is independent of the components on purpose and imports nothing of them: a
widened grant fails the policy check until this file is changed in the same pull request. The configuration of
`lambda-role-least-privilege` adds rights for users' own code, and contracts for other functions, in the same words.
"""

from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    """Place where a right applies; the ARN itself is the stack's own and follows from the place."""

    TABLE = "table"
    """The table whose name is in an environment variable."""
    INDEX = "index"
    """An index of a table: one environment variable names the table, the next one the index."""
    QUEUE = "queue"
    """The queues whose URLs, separated by spaces, are in an environment variable."""
    SOURCE = "source"
    """The stream or queue that the function's event source mapping reads."""
    FAILURES = "failures"
    """The mapping's on-failure destination, if it has one."""
    LOGS = "logs"
    """The streams of the function's own log group."""
    REGION = "region"
    """`*`, in the region of the source only: for actions that IAM cannot narrow to a resource."""
    RESOURCE = "resource"
    """The resources of this stack that `resources` names; `/` and what follows a name are added to its ARN."""
    ARN = "arn"
    """The ARNs in `resources`, to the letter; `*` alone for actions that IAM cannot narrow."""


@dataclass(frozen=True)
class Right:
    """Actions that are allowed in one place, under the id of their statement."""

    sid: str
    actions: tuple[str, ...]
    place: Place
    variables: tuple[str, ...] = ()
    """For a table or a queue, the environment variables that may name it; for an index, table and index."""
    resources: tuple[str, ...] = ()
    """For a resource, its names in this stack; for an ARN, the ARNs."""


@dataclass(frozen=True)
class Contract:
    """Everything a function of one purpose may and must be able to do."""

    rights: tuple[Right, ...]
    stream_filter: str | None = None
    """The only records its stream mapping lets through, as JSON text."""
    scheduled: bool = False
    """Whether a schedule starts it, and nothing else does."""
    longest_run_seconds: int = 0
    """Longest invocation, where that is longer than `cost-function-bounds` lets every function."""
    most_memory_megabytes: int = 0
    """Most memory, where that is more than `cost-function-bounds` lets every function."""


# What Lambda needs in order to read a source in a function's name.
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
# https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
POLL_QUEUE = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
READ_STREAM = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator")
LIST_STREAMS = ("dynamodb:ListStreams",)

# Creating log groups is no right of a function: a group that it makes for itself is kept for ever.
WRITE_LOGS = Right("WriteFunctionLogs", ("logs:CreateLogStream", "logs:PutLogEvents"), Place.LOGS)

CONTRACTS = {
    # A transaction is authorised by its items' actions. Only the reconciler reads: elsewhere a failed condition
    # brings the stored item. https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazondynamodb.html
    "command": Contract(
        (
            Right("WriteOrderAndOutbox", ("dynamodb:PutItem",), Place.TABLE, ("SOURCE_TABLE",)),
            WRITE_LOGS,
        )
    ),
    "relay": Contract(
        (
            Right("ForwardOutbox", ("sqs:SendMessage",), Place.QUEUE, ("QUEUE_URL", "QUEUE_URLS")),
            Right("ReadSourceStream", READ_STREAM, Place.SOURCE),
            Right("DiscoverStreams", LIST_STREAMS, Place.REGION),
            Right("ReportFailedRecords", ("sqs:SendMessage",), Place.FAILURES),
            WRITE_LOGS,
        ),
        stream_filter='{"eventName": ["INSERT"], "dynamodb": {"NewImage": {"kind": {"S": ["OUTBOX"]}}}}',
    ),
    "consumer": Contract(
        (
            Right(
                "WriteInboxAndAggregate",
                ("dynamodb:PutItem", "dynamodb:UpdateItem"),
                Place.TABLE,
                ("PROJECTION_TABLE",),
            ),
            Right("ConsumeDeliveryQueue", POLL_QUEUE, Place.SOURCE),
            WRITE_LOGS,
        )
    ),
    # It reads rows by the index alone and markers by their keys, and writes nothing but messages. One run goes through
    # all rows of a stack's interval: minutes, and a whole processor, which a function has with 1,769 MB.
    # https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
    "reconciler": Contract(
        (
            Right("FindOutboxRows", ("dynamodb:Query",), Place.INDEX, ("SOURCE_TABLE", "SOURCE_INDEX")),
            Right("ReadInboxMarkers", ("dynamodb:BatchGetItem",), Place.TABLE, ("PROJECTION_TABLE",)),
            Right("ResendOutbox", ("sqs:SendMessage",), Place.QUEUE, ("QUEUE_URL",)),
            WRITE_LOGS,
        ),
        scheduled=True,
        longest_run_seconds=300,
        most_memory_megabytes=1_769,
    ),
}

TABLE_KEYS = {"PK": "S", "SK": "S"}
"""Key attributes of every table that these functions write, and their types: partition key, then sort key."""

INDEX_KEYS = {"index_shard": "S", "stored_minute": "S"}
"""Key attributes of the index that the reconciler reads, and their types: partition key, then sort key."""

INDEX_ATTRIBUTES = frozenset({"body", "expires_at", "headers"})
"""Attributes that the index holds beside the keys: body and headers to send, and when a row is left alone."""
