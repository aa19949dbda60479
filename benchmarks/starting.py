"""From the import of each function to its ready client: what a cold start adds to Lambda's own part.

Every sample is a process of its own. As in Lambda, the SDK comes with its byte-code and the function's own modules
are compiled anew. The figure is processor time: an import waits for nothing, and other processes do not bend it.
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.functions import OURS, WALKTHROUGH, Variant
from benchmarks.paired import Samples, Tick, interleaved
from benchmarks.processor import ENVIRONMENT

FUNCTIONS = ("command", "relay", "consumer")
PROGRAM = "import time; begun = time.process_time(); import {function}; print(time.process_time() - begun)"


def measure(rounds: int, tick: Tick = lambda: None) -> dict[str, Samples]:
    """Seconds by function and variant."""
    with tempfile.TemporaryDirectory() as folder:
        copies = {variant: _without_byte_code(variant, Path(folder)) for variant in (WALKTHROUGH, OURS)}
        return {
            function: interleaved(
                {
                    variant.label: functools.partial(_start, function, copy)
                    for variant, copy in copies.items()
                },
                rounds,
                tick,
            )
            for function in FUNCTIONS
        }


def _without_byte_code(variant: Variant, folder: Path) -> Path:
    """A copy of the code as it lies in a function's archive."""
    ignored = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(variant.folder, folder / variant.label, ignore=ignored))


def _start(function: str, folder: Path) -> float:
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(function=function)],
        env=ENVIRONMENT | {"PATH": os.defpath, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(answer.stdout)
