"""Steps that each say what must be seen, run one after the other up to the first that does not hold."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from botocore.exceptions import BotoCoreError, ClientError

from outbox_cli.errors import OperatorError


@dataclass(frozen=True)
class Step:
    """One step: its name, what must be seen, and how to see it."""

    name: str
    expected: str
    see: Callable[[], str]


@dataclass(frozen=True)
class StepResult:
    """A step that was run: what was expected and what was seen."""

    name: str
    ok: bool
    expected: str
    seen: str


class Progress(Protocol):
    """Told of what happens while it happens."""

    def doing(self, what: str) -> None:
        """Something begins that takes a moment."""

    def done(self, result: StepResult) -> None:
        """A step has its result."""


def run_steps(steps: Iterable[Step], progress: Progress) -> list[StepResult]:
    """Runs the steps up to the first that does not hold; those behind it build on it."""
    results = []
    for step in steps:
        progress.doing(step.name)
        try:
            seen = step.see()
        except (ClientError, BotoCoreError, OperatorError) as error:
            seen = f"{type(error).__name__}: {error}"
        result = StepResult(step.name, seen == step.expected, step.expected, seen)
        results.append(result)
        progress.done(result)
        if not result.ok:
            break
    return results
