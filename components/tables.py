"""The one kind of table in use: PK and SK texts, paid per request, AWS-owned key."""

import pulumi
from pulumi_aws import dynamodb

# Names that handlers/outbox/ writes; a test holds them together.
EXPIRES_AT = "expires_at"
HEADERS = "headers"
INDEX_SHARD = "index_shard"
STORED_MINUTE = "stored_minute"
MINUTE_INDEX = "by-stored-minute"


def keyed_table(
    name: str,
    *,
    protect: bool,
    has_recovery: bool,
    parent: pulumi.Resource,
    stream_view_type: str | None = None,
    expires: bool = False,
    has_minute_index: bool = False,
) -> dynamodb.Table:
    """A table of items under PK and SK, with a stream when a view type is given.

    Items expire at their attribute `expires_at`, if they may. The index by the minute is sparse: only items with
    both its keys are in it, each with its body, so that a lost event is found and sent without a read of the
    table; writing it costs one more unit for each started KB.

    Deleting a protected table is refused twice, by Pulumi before it asks AWS (`protect`) and by AWS itself
    (`deletion_protection_enabled`). Pulumi's `retain_on_delete` would take effect one update late.
    """
    return dynamodb.Table(
        name,
        billing_mode="PAY_PER_REQUEST",
        hash_key="PK",
        range_key="SK",
        attributes=[
            {"name": each, "type": "S"}
            for each in ("PK", "SK", *((INDEX_SHARD, STORED_MINUTE) if has_minute_index else ()))
        ],
        global_secondary_indexes=[
            {
                "name": MINUTE_INDEX,
                "hash_key": INDEX_SHARD,
                "range_key": STORED_MINUTE,
                "projection_type": "INCLUDE",
                "non_key_attributes": ["body", EXPIRES_AT, HEADERS],
            }
        ]
        if has_minute_index
        else None,
        ttl={"attribute_name": EXPIRES_AT, "enabled": True} if expires else None,
        stream_enabled=None if stream_view_type is None else True,
        stream_view_type=stream_view_type,
        point_in_time_recovery={"enabled": True} if has_recovery else None,
        deletion_protection_enabled=protect,
        # None, not False: a component protected by its user stays so.
        opts=pulumi.ResourceOptions(parent=parent, protect=protect or None),
    )


def row_environment(*, is_indexed: bool, lifetime_seconds: int) -> dict[str, str]:
    """Variables that tell a function what the outbox rows that it stores carry."""
    variables = {"RECONCILE_INDEX": "1"} if is_indexed else {}
    return variables | ({"OUTBOX_ROW_LIFETIME_SECONDS": str(lifetime_seconds)} if lifetime_seconds else {})


def index_arn(table: dynamodb.Table) -> pulumi.Output[str]:
    """ARN of a table's index by the minute."""
    return pulumi.Output.concat(table.arn, "/index/", MINUTE_INDEX)
