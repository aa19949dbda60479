"""Which stacks are production, where a trial's freedom ends."""

from fnmatch import fnmatchcase

from pack.resources import Config, Resource
from pack.rule import Options

PRODUCTION_STACKS: Options = {
    "productionStacks": {
        "type": "array",
        "items": {"type": "string"},
        "default": ["prod*"],
        "description": "Names of the stacks this rule judges; * and ? stand for any characters.",
    }
}


def in_production(resource: Resource, config: Config) -> bool:
    """Whether the resource belongs to a production stack."""
    return any(fnmatchcase(resource.stack, pattern) for pattern in config["productionStacks"])
