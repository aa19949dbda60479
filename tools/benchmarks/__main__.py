"""Measures, prints the figures, writes them to build/bench.json, and ends with 1 when a figure misses its bound.

`make bench` runs all parts; README.md beside this file says what each figure means.
"""

import argparse
import json
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tools.benchmarks.machine import surroundings
from tools.benchmarks.part import Document, Part, merged
from tools.benchmarks.parts import PARTS
from tools.benchmarks.show import show
from tools.benchmarks.targets import missed
from tools.repository import PROGRAM_DIRECTORY

BUILD = PROGRAM_DIRECTORY / "build"


def main() -> int:
    """Runs the parts that are asked for; only a run of all of them is written down and judged as a whole."""
    options = _options()
    console = Console()
    parts = [part for part in PARTS if part.name in options.part] if options.part else list(PARTS)
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
    for part, reason in not_measured(document).items():
        sys.stderr.write(f"NOT MEASURED: {part}: {reason}\n")
    for sentence in [*failed, *misses]:
        sys.stderr.write(f"MISSED: {sentence}\n")
    return 1 if failed or misses else 0


def _options() -> argparse.Namespace:
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
    return parser.parse_args()


def not_measured(document: Document) -> dict[str, str]:
    """The parts that this machine lacks something for, and what; their figures have no bounds."""
    return {
        part: figures["not_measured"]
        for part, figures in document.items()
        if isinstance(figures, dict) and "not_measured" in figures
    }


def _run(parts: Sequence[Part[Any]], console: Console, *, quick: bool) -> tuple[Document, list[str]]:
    """The document, and a sentence on each part that did not come to its end; the others go on."""
    documents: list[Document] = [{**surroundings(), "quick": quick}]
    failed: list[str] = []
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console) as progress:
        for number, part in enumerate(parts, 1):
            rounds = part.rounds(quick=quick)
            if not console.is_terminal:
                console.print(f"{number} of {len(parts)}: {part.description} ...")
            task = progress.add_task(part.description, total=part.steps(rounds))
            begun = time.perf_counter()
            try:
                documents.append(part.run(rounds, lambda task=task: progress.advance(task)))  # type: ignore[misc]  # its default is its type
            except Exception as error:  # noqa: BLE001 - one part's failure is told, and the others still measured
                traceback.print_exception(error)
                failed.append(f"part {part.name!r} failed: {type(error).__name__}: {error}")
            documents.append({"part_seconds": {part.name: round(time.perf_counter() - begun, 1)}})
    return merged(documents), failed


if __name__ == "__main__":
    sys.exit(main())
