"""The ways in which a rule is met, as changes to our own stacks, which are compliant."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.policy.changes import Change, set_to, unknown, without


@dataclass(frozen=True, kw_only=True)
class Case:
    """One rule: what breaks it, what it says when a property is absent or unknown, what its options change.

    `missing_findings` and `unknown_findings` count the findings on that; what is unknown is otherwise one
    advisory line. `allowed` is configuration under which the break is none.
    """

    rule: str
    named: str
    breaks: Change
    says: str
    missing: Change
    unknown: Change
    allowed: Mapping[str, Any]
    missing_findings: int = 1
    unknown_findings: int = 0
    stack: str = "dev"


def setting(rule: str, place: str, value: Any, says: str, **others: Any) -> Case:
    """A rule on one property, at `resource.path`: set to a wrong value, left out, unknown; exempt by name."""
    named, *path = place.split(".")
    usual = {
        "breaks": set_to(named, *path, value=value),
        "missing": without(named, *path),
        "unknown": unknown(named, *path),
        "allowed": {"exempt": [named]},
    }
    return Case(rule=rule, named=named, says=says, **{**usual, **others})
