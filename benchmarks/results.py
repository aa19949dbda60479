"""The document of one run, and what it must reach: pure functions of what was measured."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Any

from benchmarks.deploying import Deployed
from benchmarks.growth import Point, fitted_exponent
from benchmarks.paired import Samples, median_ratio, medians
from benchmarks.units import Measured

MICROSECONDS = 1e6
MILLISECONDS = 1e3
BASELINE = "walkthrough"
BATCHED = "ours_100"
SINGLE = "ours_1"

Document = dict[str, Any]


@dataclass
class Measurements:
    """Everything that one run has taken."""

    units: dict[str, Measured] = field(default_factory=dict)
    drain: Samples = field(default_factory=dict)
    drain_by_executions: Samples = field(default_factory=dict)
    processor: dict[str, Samples] = field(default_factory=dict)
    start: dict[str, Samples] = field(default_factory=dict)
    deployments: list[Deployed] = field(default_factory=list)
    previews: dict[str, object] = field(default_factory=dict)
    simulated: dict[str, list[float]] = field(default_factory=dict)
    growth: list[Point] = field(default_factory=list)


@dataclass(frozen=True)
class Target:
    """A bound on one figure, named by its path in the document."""

    path: str
    bound: float
    at_least: bool = False

    def value(self, document: Document) -> float:
        """The figure."""
        value: Any = document
        for name in self.path.split("."):
            value = value[name]
        return float(value)

    def is_met(self, document: Document) -> bool:
        """Whether the figure keeps the bound."""
        value = self.value(document)
        return value >= self.bound if self.at_least else value <= self.bound


TARGETS = (
    Target("units.ours_100.wru", 6.1),
    Target("units.ours_100.sqs_requests", 0.31),
    Target("units.ours_100.consumer_calls", 0.02),
    Target("units.ours_100.usd_per_million", 4.5),
    Target("drain_ratio", 15, at_least=True),
    Target("consumer_cpu_ratio", 0.15),
    Target("start_ratio.command", 1),
    Target("start_ratio.relay", 1),
    Target("start_ratio.consumer", 1),
    Target("duplicate_cost_ratio", 0.5),
    Target("simulation_events_per_second", 3000, at_least=True),
    Target("simulation_events_per_second_under_faults", 3000, at_least=True),
    Target("batch_1.wru_ratio", 1),
    Target("batch_1.sqs_requests_ratio", 1),
    Target("batch_1.consumer_calls_ratio", 1),
    Target("batch_1.usd_ratio", 1),
    Target("batch_1.drain_ratio", 1, at_least=True),
    Target("batch_1.consumer_cpu_ratio", 1),
    Target("batch_1.duplicate_cost_ratio", 1),
)


def document_of(taken: Measurements, surroundings: Mapping[str, Any]) -> Document:
    """The figures by name; a ratio is ours / walkthrough, that of drain the other way round.

    Args:
        taken: all measurements.
        surroundings: what they were taken on and when.
    """
    events = {name: measured.event for name, measured in taken.units.items()}
    duplicates = {name: measured.duplicate for name, measured in taken.units.items()}
    sizes = [point.events for point in taken.growth]
    consumer = taken.processor["consumer"]
    return {
        **surroundings,
        "units": {name: asdict(units) for name, units in events.items()},
        "drain_ratio": median_ratio(taken.drain[BATCHED], taken.drain[BASELINE]),
        "executions_ratio": median_ratio(
            taken.drain_by_executions[BATCHED], taken.drain_by_executions[BASELINE]
        ),
        "consumer_cpu_ratio": median_ratio(consumer[BATCHED], consumer[BASELINE]),
        "start_ratio": {
            function: median_ratio(samples["ours"], samples[BASELINE])
            for function, samples in taken.start.items()
        },
        "duplicate_cost_ratio": _ratio(duplicates, BATCHED, "usd_per_million"),
        "growth_exponent": fitted_exponent(sizes, [point.seconds for point in taken.growth]),
        "batch_1": {
            "wru_ratio": _ratio(events, SINGLE, "wru"),
            "sqs_requests_ratio": _ratio(events, SINGLE, "sqs_requests"),
            "consumer_calls_ratio": _ratio(events, SINGLE, "consumer_calls"),
            "usd_ratio": _ratio(events, SINGLE, "usd_per_million"),
            "drain_ratio": median_ratio(taken.drain[SINGLE], taken.drain[BASELINE]),
            "consumer_cpu_ratio": median_ratio(consumer[SINGLE], consumer[BASELINE]),
            "duplicate_cost_ratio": _ratio(duplicates, SINGLE, "usd_per_million"),
        },
        "duplicates": {name: asdict(units) for name, units in duplicates.items()},
        "drained_events_per_second": medians(taken.drain),
        "drained_events_per_second_by_executions": medians(taken.drain_by_executions),
        "cpu_microseconds_per_message": _scaled(taken.processor, MICROSECONDS),
        "start_cpu_milliseconds": _scaled(taken.start, MILLISECONDS),
        "deploy": {
            "seconds": median(each.seconds for each in taken.deployments),
            "peak_megabytes": median(each.peak_megabytes for each in taken.deployments),
            "resources": taken.deployments[0].resources,
        },
        "preview": taken.previews,
        "simulation_events_per_second": median(taken.simulated["calm"]),
        "simulation_events_per_second_under_faults": median(taken.simulated["under_faults"]),
        "growth": {
            "points": [asdict(point) for point in taken.growth],
            "cost_exponent": fitted_exponent(sizes, [point.write_units for point in taken.growth]),
        },
    }


def _ratio(units: Mapping[str, Any], name: str, figure: str) -> float:
    return float(getattr(units[name], figure) / getattr(units[BASELINE], figure))


def _scaled(samples: Mapping[str, Samples], factor: float) -> dict[str, dict[str, float]]:
    return {
        function: {name: seconds * factor for name, seconds in medians(each).items()}
        for function, each in samples.items()
    }
