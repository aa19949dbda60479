"""Consumption of an event and of a duplicate: write units, SQS requests and calls, counted.

The counts are exact and the same on every machine, so tests/tools/ asserts them. Dollars follow from them
by the project's one table of rates, and by its assumption of how long a call takes.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction

from outbox_cli.cost.bills import compute
from outbox_cli.cost.consumption import CALL_MILLISECONDS, REQUEST_MILLISECONDS
from outbox_cli.cost.pricing import MILLION, bill
from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port, start_emulator
from tools.benchmarks.functions import REGION
from tools.benchmarks.paired import Document
from tools.benchmarks.pipeline import BASELINE, BATCHED, CASES, SINGLE, Case, Pipeline

EVENTS_LEAST = 10
MILLISECONDS = 1000


@dataclass(frozen=True)
class Units:
    """Figures per event; `consumer_calls` are the consumer's calls to DynamoDB, in `consumer_invocations` runs."""

    wru: float
    rru: float
    sqs_requests: float
    consumer_calls: float
    consumer_invocations: float
    invocations: float
    usd_per_million: float

    @classmethod
    def counted(cls, pipeline: Pipeline, events: int) -> "Units":
        """Counts of a pipeline for so many events."""
        write_units = pipeline.producers.write_units + pipeline.consumer.write_units
        read_units = pipeline.producers.read_units + pipeline.consumer.read_units
        consumer_calls = pipeline.consumer.calls.total()
        invocations = pipeline.invocations.total()
        requests = pipeline.producers.calls.total() + consumer_calls
        seconds = Fraction(CALL_MILLISECONDS * invocations + REQUEST_MILLISECONDS * requests, MILLISECONDS)
        cost = bill(
            {
                "DynamoDB writes": Fraction(write_units),
                "DynamoDB reads": Fraction(read_units),
                "SQS standard requests": pipeline.sqs_requests,
                "Lambda requests": invocations,
                "Lambda compute (x86)": compute(seconds),
            }
        )
        return cls(
            wru=write_units / events,
            rru=read_units / events,
            sqs_requests=pipeline.sqs_requests / events,
            consumer_calls=consumer_calls / events,
            consumer_invocations=pipeline.invocations["consumer"] / events,
            invocations=invocations / events,
            usd_per_million=float(cost["dollars"] * MILLION / events),
        )


@dataclass(frozen=True)
class Measured:
    """A new event from command to total, and the same event delivered once more, from queue to consumer."""

    event: Units
    duplicate: Units


def measure(_rounds: int) -> dict[str, Measured]:
    """Every case once: another round would count the same."""
    measured = {}
    with start_emulator(reserve_port(0), REGION) as emulator:
        local_aws = Clients(emulator)
        for name, case in CASES.items():
            measured[name] = measure_case(case, local_aws)
    return measured


def figures(taken: Mapping[str, Measured]) -> Document:
    """Units of events and of duplicates by case, and the ratios of ours by the walkthrough."""
    events = {name: measured.event for name, measured in taken.items()}
    duplicates = {name: measured.duplicate for name, measured in taken.items()}
    return {
        "units": {name: asdict(units) for name, units in events.items()},
        "duplicates": {name: asdict(units) for name, units in duplicates.items()},
        "duplicate_cost_ratio": _ratio(duplicates, BATCHED, "usd_per_million"),
        "batch_1": {
            "wru_ratio": _ratio(events, SINGLE, "wru"),
            "sqs_requests_ratio": _ratio(events, SINGLE, "sqs_requests"),
            "consumer_calls_ratio": _ratio(events, SINGLE, "consumer_calls"),
            "usd_ratio": _ratio(events, SINGLE, "usd_per_million"),
            "duplicate_cost_ratio": _ratio(duplicates, SINGLE, "usd_per_million"),
        },
    }


def measure_case(case: Case, local_aws: Clients) -> Measured:
    """Runs a full batch of events through a case, and then their replay; further batches would count the same.

    Raises:
        RuntimeError: the total is not that of every event counted once; the figures would mean nothing.
    """
    events = max(case.batch_size, case.stream_batch_size, EVENTS_LEAST)
    pipeline = Pipeline(case, local_aws)
    pipeline.place(events)
    pipeline.relay(events)
    pipeline.consume(events)
    event, total = Units.counted(pipeline, events), pipeline.total()
    pipeline.relay(events)
    pipeline.reset()
    pipeline.consume(events)
    if total[0] != events or pipeline.total() != total:
        raise RuntimeError(f"{events} events, sent twice, were counted as {total}, then {pipeline.total()}.")
    return Measured(event, Units.counted(pipeline, events))


def _ratio(units: Mapping[str, Units], name: str, figure: str) -> float:
    return float(getattr(units[name], figure) / getattr(units[BASELINE], figure))
