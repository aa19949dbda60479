"""The ways in which a rule is met, as changes to our own stacks, which are compliant."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.policy.changes import Change


@dataclass(frozen=True)
class Case:
    """One rule: what breaks it, what it says when a property is absent or unknown, what its options change.

    `missing_findings` and `unknown_findings` count the findings on that; what is unknown is otherwise one
    advisory line. `allowed` is configuration under which the break is none.
    """

    rule: str
    breaks: Change
    says: str
    missing: Change
    unknown: Change
    allowed: Mapping[str, Any]
    missing_findings: int = 1
    unknown_findings: int = 0
    stack: str = "dev"
    named: tuple[str, ...] = field(default=())
