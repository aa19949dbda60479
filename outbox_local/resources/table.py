"""The resource type `aws.dynamodb.Table`, with its global secondary indexes."""

from collections.abc import Iterator
from typing import Any, ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    physical_name,
    tag_list,
    without_nones,
)

# Inputs that take a call each, with the argument, and with the value that AWS has without one.
CHANGED_ALONE = (
    ("billingMode", "BillingMode", "PROVISIONED"),
    ("tableClass", "TableClass", "STANDARD"),
    ("deletionProtectionEnabled", "DeletionProtectionEnabled", False),
)
STREAM_INPUTS = frozenset({"streamEnabled", "streamViewType"})


class Table(ResourceType):
    """A table with its keys, billing mode, stream and protection against deletion."""

    pulumi_type = "aws:dynamodb/table:Table"
    schema: ClassVar[Schema] = {
        "name": LEAF,
        "attributes": {"name": LEAF, "type": LEAF},
        "hashKey": LEAF,
        "rangeKey": LEAF,
        "billingMode": LEAF,
        "tableClass": LEAF,
        "streamEnabled": LEAF,
        "streamViewType": LEAF,
        "globalSecondaryIndexes": {
            "name": LEAF,
            "hashKey": LEAF,
            "rangeKey": LEAF,
            "projectionType": LEAF,
            "nonKeyAttributes": LEAF,
        },
        "ttl": {"attributeName": LEAF, "enabled": LEAF},
        "deletionProtectionEnabled": LEAF,
        "pointInTimeRecovery": {"enabled": LEAF},
        "tags": FREE_FORM,
    }
    ignored = frozenset({"serverSideEncryption", "onDemandThroughput", "warmThroughput"})
    replaced_on = frozenset({"name", "hashKey", "rangeKey"})
    required = frozenset({"attributes", "hashKey"})
    computed: ClassVar[Computed] = {
        "arn": frozenset(),
        "streamArn": STREAM_INPUTS,
        "streamLabel": STREAM_INPUTS,
    }

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
        name = physical_name(logical_name, inputs)
        clients("dynamodb").create_table(
            **without_nones(
                {
                    "TableName": name,
                    "AttributeDefinitions": _attributes(inputs),
                    "KeySchema": key_schema(inputs["hashKey"], inputs.get("rangeKey")),
                    "GlobalSecondaryIndexes": [*indexes_of(inputs).values()] or None,
                    "BillingMode": inputs.get("billingMode"),
                    "TableClass": inputs.get("tableClass"),
                    "StreamSpecification": _stream(inputs) if inputs.get("streamEnabled") else None,
                    "DeletionProtectionEnabled": inputs.get("deletionProtectionEnabled"),
                    "Tags": tag_list(inputs) or None,
                }
            )
        )
        return name

    def _complete(self, clients: Clients, resource_id: str, inputs: Properties) -> None:
        waiter = clients("dynamodb").get_waiter("table_exists")
        waiter.wait(TableName=resource_id, WaiterConfig={"Delay": 1})
        self._recovery(clients, resource_id, {}, inputs)
        self._expiry(clients, resource_id, {}, inputs)

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        table = clients("dynamodb").describe_table(TableName=resource_id)["Table"]
        stream = table.get("StreamSpecification", {})
        keys = {each["KeyType"]: each["AttributeName"] for each in table["KeySchema"]}
        return inputs | {
            "name": table["TableName"],
            "attributes": [
                {"name": each["AttributeName"], "type": each["AttributeType"]}
                for each in table["AttributeDefinitions"]
            ],
            "hashKey": keys["HASH"],
            "rangeKey": keys.get("RANGE"),
            "billingMode": table.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED"),
            "arn": table["TableArn"],
            "streamArn": table.get("LatestStreamArn", ""),
            "streamLabel": table.get("LatestStreamLabel", ""),
            "streamEnabled": stream.get("StreamEnabled", False),
            "streamViewType": stream.get("StreamViewType", ""),
            "deletionProtectionEnabled": table.get("DeletionProtectionEnabled", False),
        }

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """Changes billing, protection and the stream; DynamoDB takes one kind of change a call."""
        for name, argument, default in CHANGED_ALONE:
            if old.get(name) != new.get(name):
                given = default if new.get(name) is None else new[name]
                clients("dynamodb").update_table(TableName=resource_id, **{argument: given})
        if _stream(old) != _stream(new):
            # A stream's view type cannot be changed: it is switched off and on, and gets a new ARN.
            for stream in ([{"StreamEnabled": False}] if old.get("streamEnabled") else []) + (
                [_stream(new)] if new.get("streamEnabled") else []
            ):
                clients("dynamodb").update_table(TableName=resource_id, StreamSpecification=stream)
        for change in index_changes(old, new):
            clients("dynamodb").update_table(
                TableName=resource_id,
                AttributeDefinitions=_attributes(new),
                GlobalSecondaryIndexUpdates=[change],
            )
        self._recovery(clients, resource_id, old, new)
        self._expiry(clients, resource_id, old, new)

    def _remove(self, clients: Clients, resource_id: str) -> None:
        """Removes the table; one under deletion protection is refused by DynamoDB."""
        clients("dynamodb").delete_table(TableName=resource_id)

    def _recovery(self, clients: Clients, name: str, old: Properties, new: Properties) -> None:
        if old.get("pointInTimeRecovery") != new.get("pointInTimeRecovery"):
            enabled = bool((new.get("pointInTimeRecovery") or {}).get("enabled"))
            clients("dynamodb").update_continuous_backups(
                TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": enabled}
            )

    def _expiry(self, clients: Clients, name: str, old: Properties, new: Properties) -> None:
        if old.get("ttl") != new.get("ttl"):
            ttl = new.get("ttl") or {**old["ttl"], "enabled": False}
            clients("dynamodb").update_time_to_live(
                TableName=name,
                TimeToLiveSpecification={
                    "Enabled": bool(ttl.get("enabled")),
                    "AttributeName": ttl["attributeName"],
                },
            )


def _attributes(inputs: Properties) -> list[dict[str, str]]:
    return [{"AttributeName": each["name"], "AttributeType": each["type"]} for each in inputs["attributes"]]


def _stream(inputs: Properties) -> dict[str, object]:
    if not inputs.get("streamEnabled"):
        return {"StreamEnabled": False}
    return {"StreamEnabled": True, "StreamViewType": inputs["streamViewType"]}


def indexes_of(inputs: Properties) -> dict[str, dict[str, Any]]:
    """The indexes as DynamoDB takes them, by name."""
    return {
        each["name"]: {
            "IndexName": each["name"],
            "KeySchema": key_schema(each["hashKey"], each.get("rangeKey")),
            "Projection": without_nones(
                {
                    "ProjectionType": each["projectionType"],
                    "NonKeyAttributes": each.get("nonKeyAttributes"),
                }
            ),
        }
        for each in inputs.get("globalSecondaryIndexes") or []
    }


def index_changes(old: Properties, new: Properties) -> Iterator[dict[str, Any]]:
    """Changes from the old indexes to the new ones, one a call; an index cannot change, so it goes first."""
    before, after = indexes_of(old), indexes_of(new)
    for name, index in before.items():
        if index != after.get(name):
            yield {"Delete": {"IndexName": name}}
    for name, index in after.items():
        if index != before.get(name):
            yield {"Create": index}


def key_schema(hash_key: str, range_key: str | None) -> list[dict[str, str]]:
    """The keys of a table or an index, the partition key first."""
    keys = [("HASH", hash_key), ("RANGE", range_key)]
    return [{"AttributeName": key, "KeyType": kind} for kind, key in keys if key]
