"""A consumer whose own code puts receipts into a table and publishes to a topic of somebody else's."""

import pulumi
from pulumi_aws import dynamodb
from transactional_outbox import IdempotentConsumer

receipts = dynamodb.Table(
    "receipts",
    billing_mode="PAY_PER_REQUEST",
    hash_key="PK",
    range_key="SK",
    attributes=[{"name": name, "type": "S"} for name in ("PK", "SK")],
)
IdempotentConsumer(
    "sales",
    {
        "environment": {"RECEIPTS_TABLE": receipts.name, "CURRENCY": "EUR"},
        "statements": [
            {"sid": "WriteReceipts", "actions": ["dynamodb:PutItem"], "resources": [receipts.arn]},
            {
                "sid": "Announce",
                "actions": ["sns:Publish"],
                "resources": ["arn:aws:sns:us-east-1:123456789012:sales"],
            },
        ],
    },
)
pulumi.export("receipts", receipts.name)
