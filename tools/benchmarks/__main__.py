"""Measures, prints the figures, writes them to build/bench.json, and ends with 1 when a figure misses its bound.

`make bench` runs all parts; README.md beside this file says what each figure means.
"""

import argparse
import json
import sys
import time
import traceback
from collections.abc import Sequence

from rich.console import Console

from tools.benchmarks.machine import surroundings
from tools.benchmarks.paired import Document
from tools.benchmarks.parts import PARTS, Part, merged
from tools.benchmarks.show import show
from tools.benchmarks.targets import missed
from tools.repository import PROGRAM_DIRECTORY

BUILD = PROGRAM_DIRECTORY / "build"


def main() -> int:
    """Runs the parts that are asked for; only a run of all of them is written down and judged as a whole."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="few rounds: whether all runs, not how fast it is"
    )
    parser.add_argument(
        "--part",
        action="append",
        default=[],
        choices=[part.name for part in PARTS],
        help="this part alone, written nowhere; can be given more than once",
    )
    options = parser.parse_args()
    console = Console()
    parts = [part for part in PARTS if not options.part or part.name in options.part]
    document, failed = _run(parts, console, quick=options.quick)
    show(document, console)
    if not options.part:
        results = BUILD / ("bench-quick.json" if options.quick else "bench.json")
        results.parent.mkdir(exist_ok=True)
        results.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        console.print(f"Written to {results.relative_to(PROGRAM_DIRECTORY)}.")
    misses = [
        target.miss(document)
        for target in missed(document)
        if not options.part or target.value(document) is not None
    ]
    for part, figures in document.items():
        # This machine lacks something for the part, so its figures have no bounds.
        if isinstance(figures, dict) and "not_measured" in figures:
            sys.stderr.write(f"NOT MEASURED: {part}: {figures['not_measured']}\n")
    for sentence in [*failed, *misses]:
        sys.stderr.write(f"MISSED: {sentence}\n")
    return 1 if failed or misses else 0


def _run(parts: Sequence[Part], console: Console, *, quick: bool) -> tuple[Document, list[str]]:
    """The document, and a sentence on each part that did not come to its end; the others go on."""
    documents: list[Document] = [{**surroundings(), "quick": quick}]
    failed: list[str] = []
    for number, part in enumerate(parts, 1):
        console.print(f"{number} of {len(parts)}: {part.description} ...")
        begun = time.perf_counter()
        try:
            documents.append(part.run(quick=quick))
        except Exception as error:  # noqa: BLE001 - one part's failure is told, and the others still measured
            traceback.print_exception(error)
            failed.append(f"part {part.name!r} failed: {type(error).__name__}: {error}")
        documents.append({"part_seconds": {part.name: round(time.perf_counter() - begun, 1)}})
    return merged(documents), failed


if __name__ == "__main__":
    sys.exit(main())
