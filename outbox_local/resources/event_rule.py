"""The resource type `aws.cloudwatch.EventRule`, of which only schedules are known."""

from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    without_nones,
)


class EventRule(ResourceType):
    """A rule of the default bus that fires by the clock; its id is its name. `outbox_local.schedules` runs it."""

    pulumi_type = "aws:cloudwatch/eventRule:EventRule"
    schema: ClassVar[Schema] = {
        "name": LEAF,
        "description": LEAF,
        "scheduleExpression": LEAF,
        "state": LEAF,
    }
    ignored = frozenset({"tags", "roleArn", "forceDestroy"})
    replaced_on = frozenset({"name"})
    required = frozenset({"scheduleExpression"})
    computed: ClassVar[Computed] = {"arn": frozenset()}

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        found = clients("events").describe_rule(Name=resource_id)
        current = {"scheduleExpression": found["ScheduleExpression"], "state": found["State"]}
        return inputs | current | {"name": resource_id, "arn": found["Arn"]}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        clients("events").put_rule(
            Name=resource_id,
            ScheduleExpression=new["scheduleExpression"],
            **without_nones({"State": new.get("state"), "Description": new.get("description")}),
        )

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("events").delete_rule(Name=resource_id)
