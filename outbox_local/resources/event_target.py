"""The resource type `aws.cloudwatch.EventTarget`."""

import contextlib
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import LEAF, Created, Properties, ResourceType, Schema, physical_name


class EventTarget(ResourceType):
    """Target of a rule; its id is `rule-target`, as in the AWS provider, with a slash between."""

    pulumi_type = "aws:cloudwatch/eventTarget:EventTarget"
    schema: ClassVar[Schema] = {"rule": LEAF, "arn": LEAF, "targetId": LEAF}
    ignored = frozenset({"roleArn", "forceDestroy", "retryPolicy", "deadLetterConfig"})
    replaced_on = frozenset({"rule", "targetId"})
    required = frozenset({"rule", "arn"})
    computed: ClassVar[dict[str, frozenset[str]]] = {"targetId": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        target = physical_name(logical_name, {"name": inputs.get("targetId")})
        resource_id = f"{inputs['rule']}/{target}"
        return Created(resource_id, self.update(clients, resource_id, {}, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        rule, target = resource_id.split("/")
        events = clients("events")
        try:
            targets = events.list_targets_by_rule(Rule=rule)["Targets"]
        except events.exceptions.ResourceNotFoundException:
            return None
        found = next((each for each in targets if each["Id"] == target), None)
        return found and inputs | {"rule": rule, "targetId": target, "arn": found["Arn"]}

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """See the base class."""
        rule, target = resource_id.split("/")
        clients("events").put_targets(Rule=rule, Targets=[{"Id": target, "Arn": new["arn"]}])
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        rule, target = resource_id.split("/")
        events = clients("events")
        with contextlib.suppress(events.exceptions.ResourceNotFoundException):
            events.remove_targets(Rule=rule, Ids=[target])
