"""Changes to a world that several tests make."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.policy.worlds import World, function_component

Change = Callable[[World], None]


def set_to(name: str, *path: str, value: Any) -> Change:
    """Set a property of a resource; of a component, what it registers, too."""

    def change(world: World) -> None:
        for holder in (world[name].inputs, world[name].computed) if "/" in name else (world[name].inputs,):
            for step in path[:-1]:
                holder = holder.setdefault(step, {})  # noqa: PLW2901 - walks down
            holder[path[-1]] = deepcopy(value)

    return change


def both(first: Change, second: Change) -> Change:
    """Two changes at once."""

    def change(world: World) -> None:
        first(world)
        second(world)

    return change


def put(name: str, path: tuple[str, ...], value: Any) -> Change:
    """Set a property, or leave it out (`None`)."""
    return without(name, *path) if value is None else set_to(name, *path, value=value)


def without(name: str, *path: str) -> Change:
    """Leave a property of a resource out."""

    def change(world: World) -> None:
        holder = world[name].inputs
        for step in path[:-1]:
            holder = holder.get(step, {})
        holder.pop(path[-1], None)

    return change


def unknown(name: str, *path: str) -> Change:
    """Let a property be known at update only, made from no other resource."""

    def change(world: World) -> None:
        set_to(name, *path, value=UNKNOWN_STRING_VALUE)(world)
        world[name].refers.pop(path[0], None)

    return change


def unknown_from(name: str, *path: str) -> Change:
    """Let a property be known at update only, made from what it was made from."""
    return set_to(name, *path, value=UNKNOWN_STRING_VALUE)


def add(type_: str, name: str = "added", **inputs: Any) -> Change:
    """Add a resource with these inputs."""

    def change(world: World) -> None:
        world.add(type_, name, inputs)

    return change


def policy(*statements: dict[str, Any], **elements: Any) -> str:
    """A policy document as text: of these statements, or of one that allows these elements."""
    one = {"Sid": "Broken", "Effect": "Allow", **elements}
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements) or [one]})


def edit_statement(name: str, number: int, elements: dict[str, Any] | None) -> Change:
    """Change elements of a statement (`None`: leave out), drop the statement, or add one after the last."""

    def change(world: World) -> None:
        document = json.loads(world[name].inputs["policy"])
        statements = document["Statement"]
        if number == len(statements):
            statements.append(elements)
        elif elements is None:
            del statements[number]
        else:
            changed = statements[number] | elements
            statements[number] = {key: value for key, value in changed.items() if value is not None}
        world[name].inputs["policy"] = json.dumps(document)

    return change


def declare(function: str, sid: str, actions: list[str] | None) -> Change:
    """Let a function's component declare other actions under a statement id, or none."""

    def change(world: World) -> None:
        component = world[function_component(function)]
        for props in (component.inputs, component.computed):
            props["grants"] = {name: found for name, found in props["grants"].items() if name != sid}
            if actions is not None:
                props["grants"][sid] = actions

    return change


def refer(name: str, property_name: str, urns: list[str]) -> Change:
    """Let a property be made from other resources."""

    def change(world: World) -> None:
        world[name].refers[property_name] = urns

    return change


def remove(name: str) -> Change:
    """Leave a resource out."""
    return lambda world: world.remove(name)


def unprotect(name: str) -> Change:
    """Take Pulumi's protection off a resource."""

    def change(world: World) -> None:
        world[name].protect = False

    return change
