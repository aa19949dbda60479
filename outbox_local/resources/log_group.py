"""The resource type `aws.cloudwatch.LogGroup`."""

import contextlib
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Created,
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
    computed: ClassVar[dict[str, frozenset[str]]] = {"arn": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
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
        with self.undone_on_failure(clients, name):
            return Created(name, self.update(clients, name, {}, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
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

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """Sets the retention; 0 or nothing keeps the logs for ever, as in AWS."""
        if days := new.get("retentionInDays"):
            clients("logs").put_retention_policy(logGroupName=resource_id, retentionInDays=int(days))
        elif old.get("retentionInDays"):
            clients("logs").delete_retention_policy(logGroupName=resource_id)
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        logs = clients("logs")
        with contextlib.suppress(logs.exceptions.ResourceNotFoundException):
            logs.delete_log_group(logGroupName=resource_id)
