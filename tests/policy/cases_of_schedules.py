"""Cases of the rules on the reconciler: its schedule, and the index that it reads."""

from tests.policy.case import Case
from tests.policy.changes import set_to, unknown, without

INDEX = {
    "name": "by-stored-minute",
    "hashKey": "index_shard",
    "rangeKey": "stored_minute",
    "projectionType": "INCLUDE",
    "nonKeyAttributes": ["body", "expires_at"],
}
SCHEDULES = (
    Case(
        rule="schedule-starts-function",
        breaks=set_to("sales-reconciler-schedule", "scheduleExpression", value="rate(2 hours)"),
        says="'sales-reconciler-schedule' starts it every 2 hours",
        missing=without("sales-reconciler-permission", "sourceArn"),
        unknown=unknown("sales-reconciler-schedule", "scheduleExpression"),
        allowed={"maximumMinutes": 120.0},
        stack="prod",
        named=("sales-reconciler-function",),
    ),
    Case(
        rule="table-index-contract",
        breaks=set_to("orders-source", "globalSecondaryIndexes", value=[INDEX | {"projectionType": "ALL"}]),
        says="it holds whole items",
        missing=without("orders-source", "globalSecondaryIndexes"),
        unknown=unknown("orders-source", "globalSecondaryIndexes"),
        allowed={"allowWhole": True},
        stack="prod",
        named=("orders-source",),
    ),
)
