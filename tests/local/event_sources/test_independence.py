"""The event sources are usable alone: they import nothing else of this repository."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

EVENT_SOURCES = Path(__file__).parents[3] / "local" / "event_sources"


def imported_modules(source: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_event_sources_import_the_standard_library_boto3_and_themselves_alone() -> None:
    sources = sorted(EVENT_SOURCES.glob("*.py"))

    imported = {module for source in sources for module in imported_modules(source)}

    roots = {module.split(".")[0] for module in imported} - set(sys.stdlib_module_names)
    assert len(sources) > 10
    assert {root for root in roots if not root.startswith("types_boto3")} == {"boto3", "botocore", "local"}
    assert all(m.startswith("local.event_sources") for m in imported if m.split(".")[0] == "local")
