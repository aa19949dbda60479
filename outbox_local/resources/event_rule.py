"""The resource types `aws.cloudwatch.EventRule`, for schedules alone, and `aws.cloudwatch.EventTarget`."""

from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    LEAF,
    Computed,
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


class EventTarget(ResourceType):
    """Target of a rule; its id is `rule-target`, as in the AWS provider, with a slash between."""

    pulumi_type = "aws:cloudwatch/eventTarget:EventTarget"
    schema: ClassVar[Schema] = {"rule": LEAF, "arn": LEAF, "targetId": LEAF}
    ignored = frozenset({"roleArn", "forceDestroy", "retryPolicy", "deadLetterConfig"})
    replaced_on = frozenset({"rule", "targetId"})
    required = frozenset({"rule", "arn"})
    computed: ClassVar[Computed] = {"targetId": frozenset()}

    def _id(self, logical_name: str, inputs: Properties) -> str:
        return f"{inputs['rule']}/{physical_name(logical_name, {'name': inputs.get('targetId')})}"

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        rule, target = resource_id.split("/")
        targets = clients("events").list_targets_by_rule(Rule=rule)["Targets"]
        found = next((each for each in targets if each["Id"] == target), None)
        return found and inputs | {"rule": rule, "targetId": target, "arn": found["Arn"]}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        rule, target = resource_id.split("/")
        clients("events").put_targets(Rule=rule, Targets=[{"Id": target, "Arn": new["arn"]}])

    def _remove(self, clients: Clients, resource_id: str) -> None:
        rule, target = resource_id.split("/")
        clients("events").remove_targets(Rule=rule, Ids=[target])
