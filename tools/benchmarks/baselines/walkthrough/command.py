"""The walkthrough's command, written anew as plainly as it states it: the baseline that ours is measured by."""

import json
import os
import re
from typing import Any

import boto3
from botocore.config import Config

CONFIG = Config(connect_timeout=2, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
DYNAMODB: Any = boto3.resource("dynamodb", config=CONFIG).meta.client
TABLE = os.environ["SOURCE_TABLE"]
MAXIMUM_AMOUNT_CENTS = 1_000_000


def lambda_handler(event: dict[str, Any], _context: object) -> dict[str, str]:
    """Put order and event in one transaction; when it is cancelled, read the order to see whether it is this one."""
    order_id, amount_cents = event.get("order_id"), event.get("amount_cents")
    if not isinstance(order_id, str) or re.fullmatch(r"[a-z0-9-]{1,40}", order_id) is None:
        raise ValueError("order_id: 1-40 lowercase letters, digits or hyphens")
    if type(amount_cents) is not int or not 1 <= amount_cents <= MAXIMUM_AMOUNT_CENTS:
        raise ValueError("amount_cents: an integer from 1 to 1000000")
    event_id = f"order-created:{order_id}"
    content = {
        "event_id": event_id,
        "type": "OrderCreated",
        "order_id": order_id,
        "amount_cents": amount_cents,
    }
    state = {
        "PK": f"ORDER#{order_id}",
        "SK": "STATE",
        "kind": "ORDER",
        "order_id": order_id,
        "amount_cents": amount_cents,
        "status": "ACCEPTED",
        "event_id": event_id,
    }
    row = {
        "PK": f"OUTBOX#{event_id}",
        "SK": "EVENT",
        "kind": "OUTBOX",
        "event_id": event_id,
        "body": json.dumps(content, sort_keys=True, separators=(",", ":")),
    }
    puts = [
        {"Put": {"TableName": TABLE, "Item": item, "ConditionExpression": "attribute_not_exists(PK)"}}
        for item in (state, row)
    ]
    try:
        DYNAMODB.transact_write_items(TransactItems=puts)
    except DYNAMODB.exceptions.TransactionCanceledException:
        key = {"PK": state["PK"], "SK": "STATE"}
        found = DYNAMODB.get_item(TableName=TABLE, Key=key, ConsistentRead=True)
        if found.get("Item") != state:
            raise
        return {"result": "ALREADY_ACCEPTED", "event_id": event_id}
    return {"result": "ACCEPTED", "event_id": event_id}
