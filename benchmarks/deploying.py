"""Time and memory of deploying the dev stack to an empty local AWS: `python -m benchmarks.deploying` does it once.

Each sample is a process of its own, because a process never gives back its peak.
"""

import json
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from benchmarks.functions import REGION
from benchmarks.paired import Tick
from local.clients import Clients
from local.deployer import Deployment, deploy
from local.emulator import reserve_port, start_emulator
from local.paths import PROGRAM_DIRECTORY
from local.program import read_stack_config

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
            [sys.executable, "-m", "benchmarks.deploying"],
            cwd=PROGRAM_DIRECTORY,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        samples.append(Deployed(**json.loads(answer.stdout)))
        tick()
    return samples


def main() -> None:
    """Deploys once and prints the figures as one JSON object."""
    with start_emulator(reserve_port(0), REGION) as emulator:
        clients = Clients(emulator.endpoint_url, emulator.region)
        deployment = Deployment()
        config = read_stack_config(PROGRAM_DIRECTORY, "dev", {"aws:region": REGION})
        begun = time.perf_counter()
        deploy(clients, PROGRAM_DIRECTORY, config, deployment)
        seconds = time.perf_counter() - begun
    # Kilobytes on Linux, bytes on macOS: getrusage(2) of either.
    unit = 1 if sys.platform == "darwin" else BYTES_A_KILOBYTE
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    figures = Deployed(seconds, peak_bytes / MEGABYTE_BYTES, len(deployment.resources))
    sys.stdout.write(json.dumps(asdict(figures)))


if __name__ == "__main__":
    main()
