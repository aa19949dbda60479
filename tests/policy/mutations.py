"""Every change for the worse that is generated from the registered resources of a stack."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.policy.changes import Change
from tests.policy.mutated_access import forbidden, routes
from tests.policy.mutated_alarms import alarms
from tests.policy.mutated_documents import documents, grants, references
from tests.policy.mutated_schedules import schedules
from tests.policy.mutated_settings import settings
from tests.policy.worlds import recorded


@dataclass(frozen=True)
class Mutation:
    """A change of a stack that the rule must report."""

    stack: str
    preview: bool
    title: str
    rule: str
    change: Change


def mutations(stack: str) -> Iterator[Mutation]:
    """Every mutation of one stack, of its update and of its first preview."""
    known, unknown = recorded(stack), recorded(stack, preview=True)
    for found in (
        *documents(known),
        *routes(known),
        *settings(known),
        *schedules(known),
        *alarms(known),
        *forbidden(),
    ):
        yield Mutation(stack, False, *found)
    for found in (*grants(unknown), *references(unknown)):
        yield Mutation(stack, True, *found)
