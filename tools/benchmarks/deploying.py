"""Time and memory of deploying the dev stack to an empty local AWS; `python -m tools.benchmarks.deploying`: once.

Each sample runs in its own process, because the peak memory of a process never falls.
"""

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from statistics import median

from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy
from outbox_local.emulator import reserve_port, start_emulator
from outbox_local.program import read_stack_config
from tools.benchmarks.functions import REGION
from tools.benchmarks.paired import Tick
from tools.benchmarks.part import Document, Part
from tools.repository import PROGRAM_DIRECTORY

BYTES_A_KILOBYTE = 1024
MEGABYTE_BYTES = 1024 * 1024


@dataclass(frozen=True)
class Deployed:
    """One deployment: from the program's first line to its last resource, and the most memory it held."""

    seconds: float
    peak_megabytes: float
    resources: int


def measure(rounds: int, tick: Tick = lambda: None) -> list[Deployed]:
    """Deploys so many times."""
    samples = []
    for _ in range(rounds):
        answer = subprocess.run(
            [sys.executable, "-m", "tools.benchmarks.deploying"],
            cwd=PROGRAM_DIRECTORY,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        samples.append(Deployed(**json.loads(answer.stdout)))
        tick()
    return samples


def figures(taken: list[Deployed]) -> Document:
    """Medians, and how many resources that was."""
    return {
        "deploy": {
            "seconds": median(each.seconds for each in taken),
            "peak_megabytes": median(each.peak_megabytes for each in taken),
            "resources": taken[0].resources,
        }
    }


def peak_bytes(whose: int) -> int:
    """The most memory that one process has held: this one, or the largest of those it started and waited for."""
    # Kilobytes on Linux, bytes on macOS: getrusage(2) of either.
    return resource.getrusage(whose).ru_maxrss * (1 if sys.platform == "darwin" else BYTES_A_KILOBYTE)


def main() -> None:
    """Deploys once and prints the figures as one JSON object."""
    with start_emulator(reserve_port(0), REGION) as emulator:
        clients = Clients(emulator)
        deployment = Deployment()
        config = read_stack_config(PROGRAM_DIRECTORY, "dev", {"aws:region": REGION})
        begun = time.perf_counter()
        deploy(clients, PROGRAM_DIRECTORY, config, deployment)
        seconds = time.perf_counter() - begun
    peak = peak_bytes(resource.RUSAGE_SELF)
    taken = Deployed(seconds, peak / MEGABYTE_BYTES, len(deployment.resources))
    sys.stdout.write(json.dumps(asdict(taken)))


PART = Part(
    name="deploy",
    description="deploying without an engine",
    full=3,
    quick=1,
    steps=lambda rounds: rounds,
    measure=measure,
    figures=figures,
)

if __name__ == "__main__":
    main()
