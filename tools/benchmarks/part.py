"""A part of the benchmark: what it measures, how often, and which figures of the document it gives."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tools.benchmarks.paired import Tick

Taken = TypeVar("Taken")
Document = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Part(Generic[Taken]):
    """One comparison, which can be made alone.

    Attributes:
        name: for the command line and the document.
        description: what is being done, for whoever waits.
        full: how many rounds, or how many events, a figure to rely on takes.
        quick: the same for a look at whether everything runs.
        steps: how many ticks so many rounds give.
        measure: takes the measurements and ticks after each.
        figures: the measurements by the names that they have in the document.
    """

    name: str
    description: str
    full: int
    quick: int
    steps: Callable[[int], int]
    measure: Callable[[int, Tick], Taken]
    figures: Callable[[Taken], Document]

    def rounds(self, *, quick: bool) -> int:
        """How many rounds, or events, are wanted."""
        return self.quick if quick else self.full

    def run(self, rounds: int, tick: Tick) -> Document:
        """The part's figures."""
        return self.figures(self.measure(rounds, tick))


def merged(documents: Iterable[Document]) -> Document:
    """All figures in one document; what has the same name is merged where it is an object, else the last one stays."""
    whole: Document = {}
    for document in documents:
        for name, value in document.items():
            before = whole.get(name)
            both = isinstance(before, dict) and isinstance(value, dict)
            whole[name] = merged([before, value]) if both else value  # type: ignore[list-item]  # it is one
    return whole
