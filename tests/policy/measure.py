"""Time that the pack adds to a preview of the dev stack: start, one request for each resource, one for the stack.

The SDK's own import is told apart: it is the floor of any pack in Python.

Run from the root of the repository: python -m tests.policy.measure
"""

import json
import statistics
import subprocess
import sys
import time

from tests.policy.serving import resource_request, served_pack, stack_request
from tests.policy.worlds import recorded

RUNS = 5


def main() -> None:
    """Print the medians of some runs in seconds, as one JSON object."""
    world = recorded("dev", preview=True)
    requests, whole = [resource_request(made) for made in world], stack_request(world)
    sdk_starts, starts, analyses = [], [], []
    for _ in range(RUNS):
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-c", "import pulumi_policy"], check=True)
        sdk_starts.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        with served_pack() as pack:
            started = time.perf_counter()
            for request in requests:
                pack.Analyze(request)
            pack.AnalyzeStack(whole)
            analysed = time.perf_counter()
        starts.append(started - begun)
        analyses.append(analysed - started)
    figures = {
        "resources": len(requests),
        "sdk_alone_seconds": round(statistics.median(sdk_starts), 3),
        "start_seconds": round(statistics.median(starts), 3),
        "analysis_seconds": round(statistics.median(analyses), 3),
    }
    sys.stdout.write(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
