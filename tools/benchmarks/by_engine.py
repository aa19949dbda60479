"""Time and memory of the real engine with the dev stack: a first `up`, and previews with and without the policy pack.

Each sample is a process of its own, because the system keeps one peak for all the processes that one has started:
`python -m tools.benchmarks.by_engine up` takes one. Without an engine nothing is measured, and the document says so.
"""

import functools
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from engine.build import EngineMissingError, engine_folders
from engine.stack import Stack, copy_program, engine_environment, search_path
from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port, start_emulator
from tools.benchmarks.deploying import MEGABYTE_BYTES, peak_bytes
from tools.benchmarks.functions import REGION
from tools.benchmarks.paired import Tick, interleaved
from tools.benchmarks.part import Document, Part
from tools.repository import PROGRAM_DIRECTORY

COMMANDS: dict[str, Callable[[Stack, Path], object]] = {
    "up": lambda stack, _: stack.up(),
    "preview": lambda stack, _: stack.preview(),
    "preview_with_pack": lambda stack, program: stack.preview("--policy-pack", str(program / "policy")),
}


@dataclass(frozen=True)
class Run:
    """Seconds of one command, and the peak of the largest process that it started."""

    seconds: float
    peak_megabytes: float


Taken = dict[str, list[Run]] | str
"""Runs by command, or the sentence that says why there are none."""


def measure(rounds: int, tick: Tick = lambda: None) -> Taken:
    """Runs all commands in turn, where an engine is on PATH or was built before."""
    try:
        engine_folders(build=False)
    except EngineMissingError as error:
        return str(error)
    return interleaved({name: functools.partial(_sample, name) for name in COMMANDS}, rounds, tick)


def figures(taken: Taken) -> Document:
    """Medians by command."""
    if isinstance(taken, str):
        return {"engine": {"not_measured": taken}}
    return {
        "engine": {
            name: {
                "seconds": statistics.median(run.seconds for run in runs),
                "peak_megabytes": statistics.median(run.peak_megabytes for run in runs),
            }
            for name, runs in taken.items()
        }
    }


def _sample(name: str) -> Run:
    answer = subprocess.run(
        [sys.executable, "-m", "tools.benchmarks.by_engine", name],
        cwd=PROGRAM_DIRECTORY,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return Run(**json.loads(answer.stdout))


def main() -> None:
    """Runs one command on a new stack and prints the figures as one JSON object."""
    command = COMMANDS[sys.argv[1]]
    path = search_path(engine_folders(build=False))
    with tempfile.TemporaryDirectory() as scratch, start_emulator(reserve_port(0), REGION) as emulator:
        program = copy_program(Path(scratch) / "program", "policy")
        clients = Clients(emulator)
        stack = Stack("dev", program, engine_environment(path, Path(scratch), clients)).init(region=REGION)
        begun = time.perf_counter()
        command(stack, program)
        seconds = time.perf_counter() - begun
        # Before the emulator ends: a process counts once it is waited for.
        run = Run(seconds, peak_bytes(resource.RUSAGE_CHILDREN) / MEGABYTE_BYTES)
    sys.stdout.write(json.dumps(asdict(run)))


PART = Part(
    name="engine",
    description="up and previews by the engine",
    full=3,
    quick=1,
    steps=lambda rounds: rounds * len(COMMANDS),
    measure=measure,
    figures=figures,
)

if __name__ == "__main__":
    main()
