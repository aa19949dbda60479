"""Differences between a role's grants and a contract, in sentences for one finding.

Everything here is pure, and three-valued where values are unknown: only what is certain is reported.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from pack.documents import SID, Statement, Text, same_condition, show_actions
from pack.expectations import Expected
from pack.roles import Held
from pack.stack import Stack

MOST_SHOWN = 8
"""How many problems one finding spells out."""


def declared_problems(grants: Any, wanted: Sequence[Expected]) -> Iterator[str]:
    """Differences between the grants that a component declares, statement id to actions, and the wanted ones."""
    if not isinstance(grants, Mapping):
        yield "its component declares no grants"
        return
    expected: dict[str, set[str]] = {}
    for right in wanted:
        expected.setdefault(right.sid, set()).add(right.action)
    for sid in sorted({*grants, *expected}):
        declared = set(grants.get(sid, ()))
        label = sid if SID.fullmatch(sid) else "a statement"
        if more := declared - expected.get(sid, set()):
            yield f"{label} declares {show_actions(more)} beyond it"
        if less := expected.get(sid, set()) - declared:
            yield f"{label} does not declare {show_actions(less)}"


def beyond(stack: Stack, statements: Sequence[Statement], wanted: Sequence[Expected]) -> Iterator[str]:
    """Rights that are not wanted, and denials: a sentence for each statement.

    A statement under an id of the contract is held to that id's rights, another to all of them.
    """
    for statement in statements:
        own = [right for right in wanted if right.sid == statement.label] or wanted
        if not statement.allows:
            yield f"{statement.label} denies {show_actions(statement.actions)}, which no contract does"
        elif statement.inverted:
            yield f"{statement.label} allows all but what it lists"
        elif extra := [
            (action, resource)
            for action in statement.actions
            for resource in statement.resources
            if not any(_may_grant(statement, action, resource, right) for right in own)
        ]:
            places = sorted({stack.describe(resource) for _, resource in extra})
            narrowed = " under a condition of its own" if statement.condition else ""
            yield (
                f"{statement.label} allows {show_actions(action for action, _ in extra)} "
                f"on {few(places)}{narrowed} beyond it"
            )


def missing(statements: Sequence[Statement], wanted: Sequence[Expected]) -> Iterator[str]:
    """Wanted rights that no statement can turn out to allow: a sentence for each wanted statement."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for right in wanted:
        if not any(
            statement.allows and _may_grant(statement, action, resource, right)
            for statement in statements
            for action in statement.actions
            for resource in statement.resources
        ):
            lacking.setdefault((right.sid, right.spot.where), []).append(right.action)
    for (sid, where), actions in lacking.items():
        yield f"{sid} lacks {show_actions(actions)} on {where}"


def references(
    stack: Stack,
    held: Sequence[Held],
    unknown: Collection[Held],
    wanted: Sequence[Expected],
    of_purpose: Sequence[Expected],
) -> Iterator[str]:
    """References of unknown documents to other resources than the wanted ones, and missing ones.

    Users' own statements are not missed: from a YAML program they arrive without what their ARNs were made from.
    """
    expected = {right.spot.resource.urn for right in wanted if right.spot.resource is not None}
    for found in unknown:
        for source in stack.sources(found.owner, found.property_name):
            if source.urn not in expected:
                yield f"'{found.owner.name}' refers to '{source.name}' beyond it"
    named = {source.urn for found in held for source in stack.sources(found.owner, found.property_name)}
    needed = {right.spot.resource.urn: right.spot for right in of_purpose if right.spot.resource is not None}
    for urn, spot in needed.items():
        if urn not in named:
            yield f"no document of its role refers to {spot.where}"


def few(words: Sequence[str], separator: str = ", ") -> str:
    """Words in a row, and how many are left out."""
    rest = f" and {len(words) - MOST_SHOWN} more" if len(words) > MOST_SHOWN else ""
    return separator.join(words[:MOST_SHOWN]) + rest


def _may_grant(statement: Statement, action: Text, resource: Text, right: Expected) -> bool:
    if isinstance(action, str) and action.lower() != right.action.lower():
        return False
    return right.spot.may_be(resource) and same_condition(statement.condition, right.spot.condition)
