"""The resource type `aws.cloudwatch.EventRule`, of which only schedules are known."""

import contextlib
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    LEAF,
    Created,
    Properties,
    ResourceType,
    Schema,
    physical_name,
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
    computed: ClassVar[dict[str, frozenset[str]]] = {"arn": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        name = physical_name(logical_name, inputs)
        return Created(name, self.update(clients, name, {}, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        events = clients("events")
        try:
            found = events.describe_rule(Name=resource_id)
        except events.exceptions.ResourceNotFoundException:
            return None
        current = {"scheduleExpression": found["ScheduleExpression"], "state": found["State"]}
        return inputs | current | {"name": resource_id, "arn": found["Arn"]}

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """See the base class."""
        clients("events").put_rule(
            Name=resource_id,
            ScheduleExpression=new["scheduleExpression"],
            **without_nones({"State": new.get("state"), "Description": new.get("description")}),
        )
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        events = clients("events")
        with contextlib.suppress(events.exceptions.ResourceNotFoundException):
            events.delete_rule(Name=resource_id)
