"""What the figures must reach, all in one place; each is named by its path in the document."""

from dataclasses import dataclass
from typing import Any

from benchmarks.part import Document


@dataclass(frozen=True)
class Target:
    """A bound on one figure: at most so much, or at least."""

    path: str
    bound: float
    at_least: bool = False

    def value(self, document: Document) -> float | None:
        """The figure; None where it was not measured."""
        value: Any = document
        for name in self.path.split("."):
            if name not in value:
                return None
            value = value[name]
        return float(value)

    def is_met(self, document: Document) -> bool:
        """Whether the figure keeps the bound; one that was not measured does not."""
        value = self.value(document)
        if value is None:
            return False
        return value >= self.bound if self.at_least else value <= self.bound

    def miss(self, document: Document) -> str:
        """A sentence on a figure that does not keep the bound."""
        value = self.value(document)
        found = "was not measured" if value is None else f"is {value:.4g}"
        return f"{self.path} {found}; it must be at {'least' if self.at_least else 'most'} {self.bound:g}."


TARGETS = (
    Target("units.ours_100.wru", 6.1),
    Target("units.ours_100.sqs_requests", 0.31),
    Target("units.ours_100.consumer_calls", 0.02),
    Target("units.ours_100.usd_per_million", 4.5),
    Target("drain_ratio", 15, at_least=True),
    Target("consumer_cpu_ratio", 0.15),
    # Lambda's own boto3, as the stack dev uses; docs/costs.md says what the bundled one costs.
    Target("start_ratio.command", 1),
    Target("start_ratio.relay", 1),
    Target("start_ratio.consumer", 1),
    Target("duplicate_cost_ratio", 0.5),
    Target("simulation_events_per_second", 3000, at_least=True),
    Target("simulation_events_per_second_under_faults", 3000, at_least=True),
    Target("reconcile_rows_per_second", 10_000, at_least=True),
    Target("reconcile_read_units_per_event", 0.6),
    Target("batch_1.wru_ratio", 1),
    Target("batch_1.sqs_requests_ratio", 1),
    Target("batch_1.consumer_calls_ratio", 1),
    Target("batch_1.usd_ratio", 1),
    Target("batch_1.drain_ratio", 1, at_least=True),
    Target("batch_1.cpu_ratio.command", 1),
    Target("batch_1.cpu_ratio.relay", 1),
    Target("batch_1.cpu_ratio.consumer", 1),
    Target("batch_1.duplicate_cost_ratio", 1),
)


def missed(document: Document) -> list[Target]:
    """The targets that a complete document does not keep."""
    return [target for target in TARGETS if not target.is_met(document)]
