"""Comparisons that a busy machine does not bend: all variants in turn, many times, and the median of the pairs."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

Sample = TypeVar("Sample")
Samples = dict[str, list[float]]
Document = dict[str, Any]
"""Figures by the names that they have in build/bench.json."""


def interleaved(measures: Mapping[str, Callable[[], Sample]], rounds: int) -> dict[str, list[Sample]]:
    """Each measure once a round, so that what slows the machine for a while slows all of them."""
    samples: dict[str, list[Sample]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            samples[name].append(measure())
    return samples


def median_ratio(numerators: Sequence[float], denominators: Sequence[float]) -> float:
    """The median of the ratios of the samples that were taken in the same round."""
    return statistics.median(a / b for a, b in zip(numerators, denominators, strict=True))


def medians(samples: Samples) -> dict[str, float]:
    """Each variant's own median."""
    return {name: statistics.median(values) for name, values in samples.items()}
