"""The resource types that the local AWS can make, and the table of them."""

from outbox_local.errors import UnsupportedResourceError
from outbox_local.resources.base import Created, Properties, ResourceType
from outbox_local.resources.event_rule import EventRule, EventTarget
from outbox_local.resources.event_source_mapping import EventSourceMapping
from outbox_local.resources.function import Function
from outbox_local.resources.log_group import LogGroup
from outbox_local.resources.monitoring import Dashboard, MetricAlarm
from outbox_local.resources.permission import Permission
from outbox_local.resources.queue import Queue
from outbox_local.resources.role import Role, RolePolicy
from outbox_local.resources.table import Table

RESOURCE_TYPES: dict[str, ResourceType] = {
    each.pulumi_type: each
    for each in (
        Table(),
        Queue(),
        LogGroup(),
        Role(),
        RolePolicy(),
        Function(),
        EventSourceMapping(),
        MetricAlarm(),
        Dashboard(),
        EventRule(),
        EventTarget(),
        Permission(),
    )
}

__all__ = ["RESOURCE_TYPES", "Created", "Properties", "ResourceType", "resource_type"]


def resource_type(pulumi_type: str) -> ResourceType:
    """The resource type of a Pulumi type token.

    Raises:
        UnsupportedResourceError: names the type and those that are there.
    """
    try:
        return RESOURCE_TYPES[pulumi_type]
    except KeyError:
        raise UnsupportedResourceError(
            f"The local AWS does not know the resource type {pulumi_type!r}. It knows "
            f"{', '.join(sorted(RESOURCE_TYPES))}; add a file to outbox_local/resources/, "
            "or leave it out of the program."
        ) from None
