"""The on-failure destination of a stream mapping: a pointer to the discarded records, never the records.

Shape: https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html.
"""

import json
import logging
import uuid
from datetime import UTC, datetime
from typing import Any

from botocore.exceptions import ClientError

from .invocation import Answered, Outcome
from .mapping import Mapping
from .retry import Batch
from .sessions import MakeClient

logger = logging.getLogger(__name__)


def invocation_record(
    mapping: Mapping, shard_id: str, batch: Batch, *, condition: str, outcome: Outcome | None, now: float
) -> dict[str, Any]:
    """Describe a discarded batch; `outcome` is that of its last delivery, None if it never was delivered."""
    first, last = batch.records[0], batch.records[-1]
    answered = outcome if isinstance(outcome, Answered) else None
    record: dict[str, Any] = {
        "requestContext": {
            "requestId": answered.request_id if answered else str(uuid.uuid4()),
            "functionArn": mapping.function_arn,
            "condition": condition,
            "approximateInvokeCount": batch.attempts,
        },
        "version": "1.0",
        "timestamp": _iso(now),
        "DDBStreamBatchInfo": {
            "shardId": shard_id,
            "startSequenceNumber": first.sequence_number,
            "endSequenceNumber": last.sequence_number,
            "approximateArrivalOfFirstRecord": _iso(first.created_at),
            "approximateArrivalOfLastRecord": _iso(last.created_at),
            "batchSize": len(batch.records),
            "streamArn": mapping.source_arn,
        },
    }
    if answered:
        record["responseContext"] = {
            "statusCode": 200,
            "executedVersion": answered.executed_version,
            "functionError": answered.function_error,
        }
    return record


class Destination:
    """Sends invocation records to a mapping's queue or topic, with the function's rights, as AWS does."""

    def __init__(self, destination_arn: str, make_client: MakeClient, role_arn: str) -> None:
        self._arn = destination_arn
        service, _, account, name = destination_arn.split(":")[2:6]
        if service == "sqs":
            operator = make_client("sqs", None)  # the role needs sqs:SendMessage and no right to find it
            self._queue_url = operator.get_queue_url(QueueName=name, QueueOwnerAWSAccountId=account)[
                "QueueUrl"
            ]
        self._client: Any = make_client(service, role_arn)
        self._is_queue = service == "sqs"

    def send(self, record: dict[str, Any]) -> None:
        """Send one record; a refusal is logged and the shard moves on, as with AWS's DestinationDeliveryFailures."""
        try:
            if self._is_queue:
                self._client.send_message(QueueUrl=self._queue_url, MessageBody=json.dumps(record))
            else:
                self._client.publish(TopicArn=self._arn, Message=json.dumps(record))
        except ClientError:
            logger.exception(
                "%s refused this record of discarded stream records: %s", self._arn, json.dumps(record)
            )


def _iso(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
