"""The resource type `aws.cloudwatch.LogGroup`."""

from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    physical_name,
    tags_of,
    without_nones,
)


class LogGroup(ResourceType):
    """A log group with its retention in days; its id is its name."""

    pulumi_type = "aws:cloudwatch/logGroup:LogGroup"
    schema: ClassVar[Schema] = {
        "name": LEAF,
        "retentionInDays": LEAF,
        "logGroupClass": LEAF,
        "tags": FREE_FORM,
    }
    ignored = frozenset({"kmsKeyId", "deletionProtectionEnabled", "skipDestroy"})
    replaced_on = frozenset({"name", "logGroupClass"})
    computed: ClassVar[Computed] = {"arn": frozenset()}

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
        name = physical_name(logical_name, inputs)
        clients("logs").create_log_group(
            **without_nones(
                {
                    "logGroupName": name,
                    "logGroupClass": inputs.get("logGroupClass"),
                    "tags": tags_of(inputs) or None,
                }
            )
        )
        return name

    def _complete(self, clients: Clients, resource_id: str, inputs: Properties) -> None:
        self._change(clients, resource_id, {}, inputs)

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """The ARN comes without the `:*` that CloudWatch appends, as the AWS provider gives it."""
        groups = clients("logs").describe_log_groups(logGroupNamePrefix=resource_id)["logGroups"]
        for group in groups:
            if group["logGroupName"] == resource_id:
                return inputs | {
                    "name": resource_id,
                    "arn": group["arn"].removesuffix(":*"),
                    "retentionInDays": group.get("retentionInDays", 0),
                }
        return None

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """Sets the retention; 0 or nothing keeps the logs for ever, as in AWS."""
        if days := new.get("retentionInDays"):
            clients("logs").put_retention_policy(logGroupName=resource_id, retentionInDays=int(days))
        elif old.get("retentionInDays"):
            clients("logs").delete_retention_policy(logGroupName=resource_id)

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("logs").delete_log_group(logGroupName=resource_id)
