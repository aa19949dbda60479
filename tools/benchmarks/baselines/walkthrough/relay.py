"""The walkthrough's relay, written anew as plainly as it states it: one send a record."""

import os
from typing import Any

import boto3
from botocore.config import Config

CONFIG = Config(connect_timeout=2, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
SQS = boto3.client("sqs", config=CONFIG)
QUEUE_URL = os.environ["QUEUE_URL"]


def lambda_handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Send each inserted outbox body; report the first record that fails."""
    for record in event["Records"]:
        change = record.get("dynamodb", {})
        row = change.get("NewImage", {})
        if record.get("eventName") != "INSERT" or row.get("kind", {}).get("S") != "OUTBOX":
            continue
        try:
            SQS.send_message(QueueUrl=QUEUE_URL, MessageBody=row["body"]["S"])
        except Exception as error:  # noqa: BLE001 - as the walkthrough does
            print("RELAY_RETRY", type(error).__name__)  # noqa: T201 - this is how it logs
            return {"batchItemFailures": [{"itemIdentifier": change["SequenceNumber"]}]}
        print("FORWARDED", row["event_id"]["S"])  # noqa: T201 - this is how it logs
    return {"batchItemFailures": []}
