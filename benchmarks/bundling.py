"""What a pinned boto3 in the archive costs beside the runtime's own: bytes to load, and time to start.

The archive's SDK starts without byte-code. None can be shipped with it: what Python writes depends on the version that
compiles, and the functions' version need not be the one that deploys; two machines would give two archives.
"""

import functools
import io
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.paired import Samples, Tick, interleaved, medians
from benchmarks.part import Document, Part
from benchmarks.starting import MILLISECONDS, byte_code_of_runtime, start
from components.archive import archive, function_sources
from components.pinned_packages import pinned_files
from local.resources.archive import zip_archive

FUNCTION = "consumer"
MODULES = ("consumer.py", "orders.py")
DEPENDENCIES = ("runtime", "bundled")


@dataclass(frozen=True)
class Taken:
    """Bytes of the zipped archive, and seconds of a start, by the setting `dependencies`."""

    zipped_bytes: dict[str, int]
    starts: Samples


def measure(rounds: int, tick: Tick = lambda: None) -> Taken:
    """Starts the consumer from both archives in turn."""
    zipped = {name: _zipped(name) for name in DEPENDENCIES}
    with tempfile.TemporaryDirectory() as scratch:
        codes = {name: unpacked(content, Path(scratch, name)) for name, content in zipped.items()}
        byte_code = byte_code_of_runtime(Path(scratch), [codes["runtime"]], [FUNCTION])
        starts = interleaved(
            {name: functools.partial(start, FUNCTION, code, byte_code) for name, code in codes.items()},
            rounds,
            tick,
        )
    return Taken({name: len(content) for name, content in zipped.items()}, starts)


def figures(taken: Taken) -> Document:
    """Both by setting."""
    starts = medians(taken.starts)
    return {
        "bundle": {
            name: {"bytes": size, "start_ms": starts[name] * MILLISECONDS}
            for name, size in taken.zipped_bytes.items()
        }
    }


def unpacked(content: bytes, folder: Path) -> Path:
    """The folder in which Lambda has unpacked an archive."""
    zipfile.ZipFile(io.BytesIO(content)).extractall(folder)
    return folder


def _zipped(dependencies: str) -> bytes:
    files = pinned_files() if dependencies == "bundled" else None
    return zip_archive(archive(function_sources(MODULES), files))


PART = Part(
    name="bundle",
    description="bundled boto3 beside the runtime's",
    full=21,
    quick=3,
    steps=lambda rounds: rounds * len(DEPENDENCIES),
    measure=measure,
    figures=figures,
)
