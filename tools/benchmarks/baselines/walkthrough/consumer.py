"""The walkthrough's consumer, written anew as plainly as it states it.

One transaction a message, and a read after a cancelled one.
"""

import hashlib
import json
import os
import re
from typing import Any

import boto3
from botocore.config import Config

CONFIG = Config(connect_timeout=2, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
DYNAMODB: Any = boto3.resource("dynamodb", config=CONFIG).meta.client
TABLE = os.environ["PROJECTION_TABLE"]
FIELDS = {"event_id", "type", "order_id", "amount_cents"}
MAXIMUM_AMOUNT_CENTS = 1_000_000


def apply(body: str) -> None:
    """Store marker and total together; a cancelled transaction is a duplicate if the marker has this digest."""
    message = json.loads(body)
    if not isinstance(message, dict) or set(message) != FIELDS:
        raise ValueError("not an OrderCreated event")
    order_id, amount_cents = message["order_id"], message["amount_cents"]
    if not isinstance(order_id, str) or re.fullmatch(r"[a-z0-9-]{1,40}", order_id) is None:
        raise ValueError("order_id")
    if message["type"] != "OrderCreated" or message["event_id"] != f"order-created:{order_id}":
        raise ValueError("event identity")
    if type(amount_cents) is not int or not 1 <= amount_cents <= MAXIMUM_AMOUNT_CENTS:
        raise ValueError("amount_cents")
    canonical = json.dumps(message, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    key = {"PK": f"INBOX#{message['event_id']}", "SK": "EVENT"}
    marker = {**key, "kind": "INBOX", "digest": digest}
    total = {
        "TableName": TABLE,
        "Key": {"PK": "SALES", "SK": "TOTAL"},
        "UpdateExpression": "SET kind = :kind ADD order_count :one, revenue_cents :cents",
        "ExpressionAttributeValues": {":kind": "SUMMARY", ":one": 1, ":cents": amount_cents},
    }
    put = {"TableName": TABLE, "Item": marker, "ConditionExpression": "attribute_not_exists(PK)"}
    try:
        DYNAMODB.transact_write_items(TransactItems=[{"Put": put}, {"Update": total}])
        result = "APPLIED"
    except DYNAMODB.exceptions.TransactionCanceledException:
        found = DYNAMODB.get_item(TableName=TABLE, Key=key, ConsistentRead=True).get("Item")
        if found is None or found.get("digest") != digest:
            raise
        result = "DUPLICATE_IGNORED"
    print(result, message["event_id"])  # noqa: T201 - this is how it logs


def lambda_handler(event: dict[str, Any], _context: object) -> dict[str, list[dict[str, str]]]:
    """Try every message; report those that failed."""
    failures = []
    for record in event["Records"]:
        try:
            apply(record["body"])
        except Exception as error:  # noqa: BLE001 - as the walkthrough does
            print("RETRY", type(error).__name__, error)  # noqa: T201 - this is how it logs
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}
