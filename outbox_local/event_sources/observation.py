"""Observations of an event source, for progress displays and tests."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .invocation import NotInvoked, Outcome
from .mapping import Mapping

What = Literal["answered", "not invoked", "filtered", "discarded", "trimmed"]


@dataclass(frozen=True)
class Observation:
    """One thing that happened to records of a mapping.

    `records` counts all records it happened to and `failed` those of them that failed; `reason` is empty, or
    the error's name, or the condition under which records were discarded. `sequence_numbers` are those of
    discarded records.
    """

    mapping: Mapping
    what: What
    records: int
    failed: int = 0
    reason: str = ""
    sequence_numbers: tuple[str, ...] = ()


# Called from the pollers' threads, several at once.
Observer = Callable[[Observation], None]


def delivery(mapping: Mapping, outcome: Outcome, *, records: int, failed: int) -> Observation:
    """Observe one delivery to the function."""
    if isinstance(outcome, NotInvoked):
        return Observation(mapping, "not invoked", records, failed, outcome.reason)
    return Observation(mapping, "answered", records, failed, outcome.function_error or "")


def ignore(_: Observation) -> None:
    """Watch nothing."""
