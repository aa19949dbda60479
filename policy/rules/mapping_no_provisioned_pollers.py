"""Pollers are Lambda's own: provisioned ones are billed by the hour, whether messages come or not.

https://docs.aws.amazon.com/lambda/latest/dg/invocation-eventsourcemapping.html
"""

from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import resource_rule

FIX = "Leave provisionedPollerConfig out."


@resource_rule(
    name="mapping-no-provisioned-pollers",
    description="Event source mappings have no provisioned pollers.",
    remediation=FIX,
    types=[MAPPING],
)
def judge(mapping: Resource, _config: Config) -> Verdicts:
    """Judge whether a mapping asks for pollers; even an unknown number of them asks."""
    if mapping.get("provisionedPollerConfig"):
        yield mapping.finding(
            f"Mapping '{mapping.name}' must use no provisioned pollers; it asks for them. {FIX}"
        )
