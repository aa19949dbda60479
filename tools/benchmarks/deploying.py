"""Time and memory of deploying the dev stack to an empty local AWS; `python -m tools.benchmarks.deploying`: once.

Each sample runs in its own process, because the peak memory of a process never falls.
"""

import json
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from statistics import median

from outbox_local.clients import Clients
from outbox_local.deployer import Deployment, deploy
from outbox_local.emulator import reserve_port, start_emulator
from outbox_local.program import read_stack_config
from tools.benchmarks.functions import REGION
from tools.benchmarks.paired import Document
from tools.repository import PROGRAM_DIRECTORY

BYTES_A_KILOBYTE = 1024
MEGABYTE_BYTES = 1024 * 1024


def measure(rounds: int) -> list[dict[str, float]]:
    """Deploys so many times; each sample has the time from the program's first line to its last resource."""
    return [sample("tools.benchmarks.deploying") for _ in range(rounds)]


def figures(taken: list[dict[str, float]]) -> Document:
    """Medians, and how many resources that was."""
    return {"deploy": {**figures_of(taken), "resources": taken[0]["resources"]}}


def sample(*words: str) -> dict[str, float]:
    """The figures that a module prints, run as a process of its own."""
    answer = subprocess.run(
        [sys.executable, "-m", *words], cwd=PROGRAM_DIRECTORY, check=True, stdout=subprocess.PIPE, text=True
    )
    figures: dict[str, float] = json.loads(answer.stdout)
    return figures


def figures_of(samples: Sequence[Mapping[str, float]]) -> Document:
    """Medians of time and of the most memory held."""
    return {name: median(each[name] for each in samples) for name in ("seconds", "peak_megabytes")}


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
    peak_megabytes = peak_bytes(resource.RUSAGE_SELF) / MEGABYTE_BYTES
    taken = {"seconds": seconds, "peak_megabytes": peak_megabytes, "resources": len(deployment.resources)}
    sys.stdout.write(json.dumps(taken))


if __name__ == "__main__":
    main()
