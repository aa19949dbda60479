"""Options of rules, as JSON schemas with a default, and the ones that several rules have."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from pack.resources import Config, Resource

Option = dict[str, Any]
Options = Mapping[str, Option]
"""Configuration of a rule: option name to its JSON schema, with a default and a description."""


def texts(default: Sequence[str], description: str) -> Option:
    """A list of texts."""
    return {
        "type": "array",
        "items": {"type": "string"},
        "default": list(default),
        "description": description,
    }


def whole(default: int, description: str, **bounds: int) -> Option:
    """A whole number, with `minimum` and `maximum`."""
    return {"type": "integer", "default": default, "description": description, **bounds}


def switch(description: str, *, default: bool) -> Option:
    """On or off."""
    return {"type": "boolean", "default": default, "description": description}


EXEMPT: Options = {
    "exempt": texts([], "Names of resources to leave alone; * and ? stand for any characters.")
}
PRODUCTION_STACKS: Options = {
    "productionStacks": texts(["prod*"], "Names of the stacks to check; * and ? stand for any characters.")
}


def in_production(resource: Resource, config: Config) -> bool:
    """Whether the resource belongs to a production stack, where a trial's freedom ends."""
    return any(fnmatchcase(resource.stack, pattern) for pattern in config["productionStacks"])
