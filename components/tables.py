"""The one kind of table in use: PK and SK texts, paid per request, AWS-owned key, no expiry."""

import pulumi
from pulumi_aws import dynamodb


def keyed_table(
    name: str, *, protect: bool, parent: pulumi.Resource, stream_view_type: str | None = None
) -> dynamodb.Table:
    """A table of items under PK and SK, with a stream when a view type is given.

    Deleting a protected table is refused twice, by Pulumi before it asks AWS (`protect`) and by AWS itself
    (`deletion_protection_enabled`). Pulumi's `retain_on_delete` would take effect one update late.
    """
    return dynamodb.Table(
        name,
        billing_mode="PAY_PER_REQUEST",
        hash_key="PK",
        range_key="SK",
        attributes=[{"name": "PK", "type": "S"}, {"name": "SK", "type": "S"}],
        stream_enabled=None if stream_view_type is None else True,
        stream_view_type=stream_view_type,
        deletion_protection_enabled=protect,
        # None, not False: a component protected by its user stays so.
        opts=pulumi.ResourceOptions(parent=parent, protect=protect or None),
    )
