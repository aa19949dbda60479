"""Cost of a bundled boto3 compared with the runtime's own: bytes to load, and time to start.

The archive's SDK starts without byte-code. None can be shipped with it: what Python writes depends on the version that
compiles, and the functions' version need not be the one that deploys; two machines would give two archives.
"""

import functools
import io
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from components.archive import archive, function_sources
from components.pinned_packages import pinned_files
from outbox_local.resources.archive import zip_archive
from tools.benchmarks.functions import OURS, WALKTHROUGH
from tools.benchmarks.paired import Document, Samples, interleaved, median_ratio, medians
from tools.benchmarks.pipeline import BASELINE
from tools.benchmarks.starting import FUNCTIONS, MILLISECONDS, byte_code_of_runtime, start

WEIGHED = "consumer"
RUNTIME = "runtime"
MODULES = {
    "command": ("command.py", "orders.py"),
    "relay": ("relay.py",),
    "consumer": ("consumer.py", "orders.py"),
}


@dataclass(frozen=True)
class Taken:
    """Bytes of the consumer's zipped archive by the setting `dependencies`, and seconds of starts.

    The starts are by function and by whose handlers lie in the bundle; the consumer's also by `runtime`.
    """

    zipped_bytes: dict[str, int]
    starts: dict[str, Samples]


def measure(rounds: int) -> Taken:
    """Starts each function from the same bundle with the walkthrough's handlers and with ours in turn."""
    packages = pinned_files()
    without = zip_archive(archive(function_sources(MODULES[WEIGHED])))
    bundled = {
        function: zip_archive(archive(function_sources(MODULES[function]), packages))
        for function in FUNCTIONS
    }
    with tempfile.TemporaryDirectory() as scratch:
        codes = {
            function: {
                BASELINE: unpacked(
                    zip_archive(archive(_walkthrough(function), packages)), Path(scratch, BASELINE, function)
                ),
                OURS.label: unpacked(content, Path(scratch, OURS.label, function)),
            }
            for function, content in bundled.items()
        }
        codes[WEIGHED][RUNTIME] = unpacked(without, Path(scratch, RUNTIME))
        byte_code = byte_code_of_runtime(Path(scratch), [codes[WEIGHED][RUNTIME]], [WEIGHED])
        starts = {
            function: interleaved(
                {name: functools.partial(start, function, code, byte_code) for name, code in each.items()},
                rounds,
            )
            for function, each in codes.items()
        }
    return Taken({RUNTIME: len(without), "bundled": len(bundled[WEIGHED])}, starts)


def figures(taken: Taken) -> Document:
    """The ratio by function, and what the bundle costs the consumer."""
    consumer = medians(taken.starts[WEIGHED])
    seconds = {RUNTIME: consumer[RUNTIME], "bundled": consumer[OURS.label]}
    return {
        "start_ratio_bundled": {
            function: median_ratio(samples[OURS.label], samples[BASELINE])
            for function, samples in taken.starts.items()
        },
        "start_cpu_milliseconds_bundled": {
            function: {
                name: median * MILLISECONDS for name, median in medians(samples).items() if name != RUNTIME
            }
            for function, samples in taken.starts.items()
        },
        "bundle": {
            name: {"bytes": size, "start_ms": seconds[name] * MILLISECONDS}
            for name, size in taken.zipped_bytes.items()
        },
    }


def unpacked(content: bytes, folder: Path) -> Path:
    """The folder in which Lambda has unpacked an archive."""
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    return folder


def _walkthrough(function: str) -> dict[str, str]:
    name = f"{function}.py"
    return {name: (WALKTHROUGH.folder / name).read_text(encoding="utf-8")}
