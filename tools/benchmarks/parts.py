"""Parts of the benchmark, in the order in which they run: a new one is a line here.

Times come first: the later parts leave processes and caches behind. Bounds are listed in `targets`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tools.benchmarks import (
    bundling,
    by_engine,
    deploying,
    draining,
    growth,
    processor,
    reconciling,
    simulating,
    starting,
    units,
)
from tools.benchmarks.paired import Document


@dataclass(frozen=True)
class Part:
    """One comparison, which can be made alone.

    Its module has `measure`, which takes the measurements of so many rounds, or events, and `figures`, which gives
    them the names that they have in the document. A figure to rely on takes `full` rounds; `quick` ones show whether
    everything runs.
    """

    name: str
    description: str
    module: Any
    full: int
    quick: int

    def run(self, *, quick: bool) -> Document:
        """The part's figures."""
        document: Document = self.module.figures(self.module.measure(self.quick if quick else self.full))
        return document


PARTS = (
    Part("start", "start of each function", starting, full=21, quick=3),
    Part("bundle", "bundled boto3 beside the runtime's", bundling, full=11, quick=2),
    Part("processor", "processor time of each function", processor, full=7, quick=2),
    Part("simulation", "simulating", simulating, full=3, quick=1),
    Part("reconciliation", "reconciling", reconciling, full=5, quick=1),
    Part("units", "units and calls of an event", units, full=1, quick=1),
    Part("drain", "draining queues", draining, full=5, quick=1),
    Part("deploy", "deploying without an engine", deploying, full=3, quick=1),
    Part("engine", "up and previews by the engine", by_engine, full=3, quick=1),
    Part("growth", "growth of time and cost", growth, full=1_000_000, quick=10_000),
)


def merged(documents: Iterable[Document]) -> Document:
    """All figures in one document; what has the same name is merged where it is an object, else the last one stays."""
    whole: Document = {}
    for document in documents:
        for name, value in document.items():
            before = whole.get(name)
            both = isinstance(before, dict) and isinstance(value, dict)
            whole[name] = merged([before, value]) if both else value  # type: ignore[list-item]  # it is one
    return whole
