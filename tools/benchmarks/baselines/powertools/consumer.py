"""Consumer with Powertools for AWS Lambda: its batch processor, its idempotency, and a counter.

Three calls an event: the idempotency record is put, the total incremented, the record completed. They are not
one transaction: a crash between the increment and the completion counts twice once the record's lock expires.
https://docs.powertools.aws.dev/lambda/python/latest/utilities/idempotency/
"""

import json
import os
from typing import Any

import boto3
from aws_lambda_powertools.utilities.batch import BatchProcessor, EventType, process_partial_response
from aws_lambda_powertools.utilities.batch.types import PartialItemFailureResponse
from aws_lambda_powertools.utilities.data_classes.sqs_event import SQSRecord
from aws_lambda_powertools.utilities.idempotency import (
    DynamoDBPersistenceLayer,
    IdempotencyConfig,
    idempotent_function,
)
from aws_lambda_powertools.utilities.typing import LambdaContext
from botocore.config import Config

CONFIG = Config(connect_timeout=2, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
TABLE = os.environ["PROJECTION_TABLE"]
DYNAMODB = boto3.client("dynamodb", config=CONFIG)
STORE = DynamoDBPersistenceLayer(
    table_name=TABLE,
    key_attr="PK",
    sort_key_attr="SK",
    static_pk_value="INBOX",
    boto3_client=DYNAMODB,
)
IDEMPOTENCY = IdempotencyConfig(event_key_jmespath="event_id", payload_validation_jmespath="amount_cents")
PROCESSOR = BatchProcessor(event_type=EventType.SQS)


@idempotent_function(data_keyword_argument="message", persistence_store=STORE, config=IDEMPOTENCY)  # type: ignore[untyped-decorator]  # its own
def count(message: dict[str, Any]) -> dict[str, str]:
    """Add one order to the total."""
    DYNAMODB.update_item(
        TableName=TABLE,
        Key={"PK": {"S": "SALES"}, "SK": {"S": "TOTAL"}},
        UpdateExpression="ADD order_count :one, revenue_cents :cents",
        ExpressionAttributeValues={":one": {"N": "1"}, ":cents": {"N": str(message["amount_cents"])}},
    )
    return {"event_id": message["event_id"]}


def handle(record: SQSRecord) -> None:
    """Count one message."""
    count(message=json.loads(record.body))


def lambda_handler(event: dict[str, Any], context: LambdaContext) -> PartialItemFailureResponse:
    """Process the batch; Powertools reports what failed."""
    IDEMPOTENCY.register_lambda_context(context)
    return process_partial_response(event=event, record_handler=handle, processor=PROCESSOR, context=context)
