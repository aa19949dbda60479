"""From the import of each function to its ready client: what a cold start adds to Lambda's own part.

Every sample is a process of its own. As in Lambda, Python and the runtime's SDK come with their byte-code, and what
lies in the function's archive is compiled anew each time, because its folder cannot be written. The figure is
processor time: an import waits for nothing, and other processes do not bend it.
"""

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tools.benchmarks.functions import OURS, WALKTHROUGH
from tools.benchmarks.paired import Document, Samples, interleaved, median_ratio, medians
from tools.benchmarks.pipeline import BASELINE
from tools.benchmarks.processor import ENVIRONMENT

FUNCTIONS = ("command", "relay", "consumer")
VARIANTS = (WALKTHROUGH, OURS)
PROGRAM = "import time; begun = time.process_time(); import {function}; print(time.process_time() - begun)"
MILLISECONDS = 1e3


def measure(rounds: int) -> dict[str, Samples]:
    """Seconds by function and variant."""
    with tempfile.TemporaryDirectory() as scratch:
        copies = {variant.label: _copy(variant.folder, Path(scratch, variant.label)) for variant in VARIANTS}
        byte_code = byte_code_of_runtime(Path(scratch), list(copies.values()))
        return {
            function: interleaved(
                {name: functools.partial(start, function, code, byte_code) for name, code in copies.items()},
                rounds,
            )
            for function in FUNCTIONS
        }


def figures(taken: dict[str, Samples]) -> Document:
    """The ratio by function, and each one's milliseconds."""
    return {
        "start_ratio": {
            function: median_ratio(samples[OURS.label], samples[BASELINE])
            for function, samples in taken.items()
        },
        "start_cpu_milliseconds": {
            function: {name: seconds * MILLISECONDS for name, seconds in medians(samples).items()}
            for function, samples in taken.items()
        },
    }


def byte_code_of_runtime(scratch: Path, codes: Sequence[Path], functions: Sequence[str] = FUNCTIONS) -> Path:
    """A folder with the byte-code of everything that these functions import from outside their own code.

    Whether the SDK that this Python finds was ever compiled is left to nobody: an installation may come without.
    """
    byte_code = scratch / "byte-code"
    for number, code in enumerate(codes):
        # Byte-code is kept by the place of its source, so what these copies leave is no use to the code itself.
        copy = _copy(code, scratch / f"warm-{number}")
        for function in functions:
            start(function, copy, byte_code, keep=True)
    return byte_code


def start(function: str, code: Path, byte_code: Path, *, keep: bool = False) -> float:
    """Processor seconds of one start, in a process that finds this code and this byte-code."""
    environment = {
        **ENVIRONMENT,
        "PATH": os.defpath,
        "PYTHONPATH": str(code),
        "PYTHONPYCACHEPREFIX": str(byte_code),
        **({} if keep else {"PYTHONDONTWRITEBYTECODE": "1"}),
    }
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(function=function)],
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return float(answer.stdout)


def _copy(code: Path, place: Path) -> Path:
    """The code as it lies in a function's archive."""
    return Path(shutil.copytree(code, place, ignore=shutil.ignore_patterns("__pycache__")))
