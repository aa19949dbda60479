"""The resources of a stack and the links between them, whether the linking values are known or not."""

from collections.abc import Iterable
from typing import Any

from pack.resources import FUNCTION, LOG_GROUP, MAPPING, ROLE, Resource
from pack.values import UNKNOWN

IDENTITIES = ("arn", "streamArn", "name", "url", "id")
"""Properties by which one resource names another."""


class Stack:
    """The resources of a stack, found by what others say of them."""

    def __init__(self, resources: Iterable[Resource]) -> None:
        self.resources = tuple(resources)
        self._by_urn = {resource.urn: resource for resource in self.resources}

    def of(self, *types: str) -> list[Resource]:
        """The resources of some types."""
        return [resource for resource in self.resources if resource.type in types]

    def parent(self, resource: Resource) -> Resource | None:
        """The component that a resource is part of."""
        return self._by_urn.get(resource.parent or "")

    def named(self, value: Any, *types: str) -> list[Resource]:
        """The resources of some types that a known value names, by ARN, name or URL."""
        return [
            resource
            for resource in self.of(*types)
            if isinstance(value, str) and value in [resource.get(identity) for identity in IDENTITIES]
        ]

    def targets(
        self, holder: Resource, *path: str, value: Any = None, types: Iterable[str]
    ) -> list[Resource]:
        """The resources of some types that a property names, or was made from while its value is unknown.

        `value` is one value out of the property; without it, the whole value at the path is meant.
        """
        value = holder.get(*path) if value is None else value
        if value is UNKNOWN:
            sources = (self._by_urn.get(urn) for urn in holder.refers.get(path[0], ()))
            return [source for source in sources if source is not None and source.type in tuple(types)]
        return self.named(value, *types)

    def sources(self, holder: Resource, property_name: str) -> list[Resource]:
        """The AWS resources that a property was made from; components and providers are none."""
        found = (self._by_urn.get(urn) for urn in holder.refers.get(property_name, ()))
        return [source for source in found if source is not None and source.type.startswith("aws:")]

    def describe(self, value: Any) -> str:
        """A resource that a document names, in words that tell no value of the document."""
        if value is UNKNOWN:
            return "a resource not known yet"
        text = str(value)
        if {"*", "?"} & set(text.removesuffix(":*")):
            return "a wildcard"
        for resource in self.resources:
            if text.removesuffix(":*") in (resource.get("arn"), resource.get("streamArn")):
                return f"'{resource.name}'"
        return "a resource outside this stack"


def purpose_of(stack: Stack, function: Resource) -> Any:
    """Purpose that the function's component declares; `None` for a function outside such a component."""
    component = stack.parent(function)
    return None if component is None else component.get("purpose")


def roles_of(stack: Stack, function: Resource) -> list[Resource]:
    """The function's role, if it is in this stack."""
    return stack.targets(function, "role", types=[ROLE])


def log_groups_of(stack: Stack, function: Resource) -> list[Resource]:
    """The log group that the function writes to, if it names one of this stack."""
    return stack.targets(function, "loggingConfig", "logGroup", types=[LOG_GROUP])


def mappings_of(stack: Stack, function: Resource) -> list[Resource]:
    """The event source mappings that invoke the function, by name, ARN, or ARN of a version or an alias."""
    return [mapping for mapping in stack.of(MAPPING) if function in functions_of(stack, mapping)]


def functions_of(stack: Stack, mapping: Resource) -> list[Resource]:
    """The function that a mapping invokes, if it is in this stack."""
    name = mapping.get("functionName")
    if isinstance(name, str) and name.startswith("arn:"):
        name = ":".join(name.split(":")[:7])
    return stack.targets(mapping, "functionName", value=name, types=[FUNCTION])


def variables_of(function: Resource) -> dict[str, Any]:
    """The function's environment; empty while the whole of it is unknown."""
    variables = function.get("environment", "variables")
    return variables if isinstance(variables, dict) else {}
