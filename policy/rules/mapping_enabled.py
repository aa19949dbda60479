"""A mapping is switched on: while it is off nothing is delivered, and a stream forgets after a day."""

from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

FIX = "Set enabled to true, and pause a mapping by hand, where it is seen."


def judge(mapping: Resource, _config: Config) -> Verdicts:
    """Judge whether a mapping is on; Lambda switches it on by itself."""
    enabled = mapping.get("enabled")
    if enabled is UNKNOWN:
        yield mapping.pending("enabled")
    elif enabled is False:
        yield mapping.finding(
            f"Mapping '{mapping.name}' must be enabled; it is off and nothing is delivered. {FIX}"
        )


RULE = resource_rule(
    name="mapping-enabled",
    level=Level.MANDATORY,
    description="Event source mappings are switched on.",
    remediation=FIX,
    types=[MAPPING],
    judge=judge,
)
