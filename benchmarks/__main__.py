"""Runs every benchmark, prints the figures and writes them to build/bench.json: `make bench`.

Exits with 1 when a figure misses its bound.
"""

import argparse
import json
import sys
from dataclasses import dataclass

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks import deploying, draining, growth, previewing, processor, simulating, starting, units
from benchmarks.functions import REGION
from benchmarks.machine import surroundings
from benchmarks.paired import Tick
from benchmarks.pipeline import CASES
from benchmarks.results import TARGETS, Measurements, document_of
from benchmarks.show import show
from local.clients import Clients
from local.emulator import reserve_port, start_emulator
from local.paths import PROGRAM_DIRECTORY

RESULTS = PROGRAM_DIRECTORY / "build" / "bench.json"


@dataclass(frozen=True)
class Effort:
    """How often each comparison is made, and how far the growth is followed."""

    processor_rounds: int
    start_rounds: int
    drain_rounds: int
    deploy_rounds: int
    preview_rounds: int
    simulated_rounds: int
    growth_events: int


FULL = Effort(
    processor_rounds=7,
    start_rounds=21,
    drain_rounds=3,
    deploy_rounds=3,
    preview_rounds=3,
    simulated_rounds=3,
    growth_events=1_000_000,
)
QUICK = Effort(
    processor_rounds=1,
    start_rounds=1,
    drain_rounds=1,
    deploy_rounds=1,
    preview_rounds=1,
    simulated_rounds=1,
    growth_events=10_000,
)


def main() -> int:
    """Measures, shows and writes."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="each once, for a look at whether all runs")
    effort = QUICK if parser.parse_args().quick else FULL
    console = Console()
    before = surroundings()
    document = document_of(_measure(effort, console), before)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    show(document, console)
    console.print(f"Written to {RESULTS.relative_to(PROGRAM_DIRECTORY)}.")
    return 0 if all(target.is_met(document) for target in TARGETS) else 1


def _measure(effort: Effort, console: Console) -> Measurements:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    taken = Measurements()
    with Progress(*columns, console=console) as progress:

        def ticks(description: str, total: int) -> Tick:
            if not console.is_terminal:
                console.print(f"{description} ...")
            task = progress.add_task(description, total=total)
            return lambda: progress.advance(task)

        cases = len(CASES)
        tick = ticks("start of each function", effort.start_rounds * 2 * len(starting.FUNCTIONS))
        taken.start = starting.measure(effort.start_rounds, tick)
        tick = ticks("processor time", effort.processor_rounds * cases * len(starting.FUNCTIONS))
        taken.processor = processor.measure(effort.processor_rounds, tick)
        with start_emulator(reserve_port(0), REGION) as emulator:
            local_aws = Clients(emulator.endpoint_url, emulator.region)
            tick = ticks("units of an event", cases)
            for name, case in CASES.items():
                taken.units[name] = units.measure(case, local_aws)
                tick()
        with start_emulator(reserve_port(0), REGION) as emulator:
            local_aws = Clients(emulator.endpoint_url, emulator.region)
            tick = ticks("draining", (effort.drain_rounds + 1) * cases)
            taken.drain, taken.drain_by_executions = draining.measure(local_aws, effort.drain_rounds, tick)
        tick = ticks("deploying", effort.deploy_rounds)
        taken.deployments = deploying.measure(effort.deploy_rounds, tick)
        tick = ticks("previewing", effort.preview_rounds * 2)
        taken.previews = previewing.measure(effort.preview_rounds, tick)
        tick = ticks("simulating", effort.simulated_rounds * len(simulating.MODES))
        taken.simulated = simulating.measure(effort.simulated_rounds, tick)
        tick = ticks("growth", len(growth.checkpoints(effort.growth_events)))
        taken.growth = growth.measure(effort.growth_events, tick)
    return taken


if __name__ == "__main__":
    sys.exit(main())
