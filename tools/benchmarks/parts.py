"""All parts of the benchmark, in the order in which they run: a new one is a line here.

Times come first: the later parts leave processes and caches behind. Bounds are listed in `targets`.
"""

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
from tools.benchmarks.part import Part

PARTS: tuple[Part[Any], ...] = (
    starting.PART,
    bundling.PART,
    processor.PART,
    simulating.PART,
    reconciling.PART,
    units.PART,
    draining.PART,
    deploying.PART,
    by_engine.PART,
    growth.PART,
)
