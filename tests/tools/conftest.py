"""One emulator, each case measured once, and a document of good figures."""

from collections.abc import Callable, Iterator
from functools import cache

import pytest

from outbox_cli.reconcile.findings import Reconciliation
from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port, start_emulator
from tools.benchmarks import bundling, units
from tools.benchmarks.draining import Rates
from tools.benchmarks.growth import Point
from tools.benchmarks.machine import surroundings
from tools.benchmarks.paired import Document
from tools.benchmarks.parts import PARTS, merged
from tools.benchmarks.pipeline import CASES
from tools.benchmarks.units import Measured, Units

FUNCTIONS = ("command", "relay", "consumer")
REGION = "eu-central-1"  # not the walkthrough's: a region written down anywhere would show


@pytest.fixture(scope="session")
def local_aws() -> Iterator[Clients]:
    with start_emulator(reserve_port(0), REGION) as emulator:
        yield Clients(emulator)


@pytest.fixture(scope="session")
def measured(local_aws: Clients) -> Callable[[str], Measured]:
    return cache(lambda case: units.measure_case(CASES[case], local_aws))


@pytest.fixture
def document() -> Document:
    """Measurements in which ours at batch 100 take a tenth of everything, except that it drains 20 times as fast."""
    whole = Units(
        wru=8,
        rru=0,
        sqs_requests=3,
        consumer_calls=1,
        consumer_invocations=1,
        invocations=3,
        usd_per_million=8,
    )
    tenth = Units(
        wru=6,
        rru=0,
        sqs_requests=0.3,
        consumer_calls=0.02,
        consumer_invocations=0.01,
        invocations=1,
        usd_per_million=4,
    )
    costs = dict.fromkeys(CASES, 250e-6) | {"ours_100": 25e-6}
    drained = {name: [Rates(2.0, 1.0), Rates(4.0, 2.0)] for name in CASES}
    taken = {
        "units": dict.fromkeys(CASES, Measured(whole, whole)) | {"ours_100": Measured(tenth, tenth)},
        "drain": drained | {"ours_100": [Rates(40.0, 1.0), Rates(80.0, 2.0)]},
        "processor": {
            function: {name: [cost, 3 * cost] for name, cost in costs.items()} for function in FUNCTIONS
        },
        "start": {function: {"walkthrough": [0.4], "ours": [0.3]} for function in FUNCTIONS},
        "bundle": bundling.Taken(
            {"runtime": 25_000, "bundled": 1_000_000},
            {function: {"walkthrough": [0.5], "ours": [0.4], "runtime": [0.2]} for function in FUNCTIONS},
        ),
        "simulation": {"calm": [4000.0, 5000.0, 9000.0], "under_faults": [3500.0]},
        "reconciliation": [(0.02, Reconciliation(rows=1_000, read_units=500.0))],
        "deploy": [{"seconds": 3, "peak_megabytes": 100, "resources": 18}],
        "engine": "The engine tests need a Pulumi CLI.",
        "growth": [Point(1_000, 1.0, 6_040), Point(10_000, 10.0, 60_400)],
    }
    return merged([surroundings(), *(part.module.figures(taken[part.name]) for part in PARTS)])
