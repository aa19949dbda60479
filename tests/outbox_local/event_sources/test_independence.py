"""The event sources are usable alone: they import nothing else of this repository, whatever their folder is called."""

import ast
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

EVENT_SOURCES = Path(__file__).parents[3] / "outbox_local" / "event_sources"
PROGRAM = """
import sys, time
from fakes import QUEUE_ARN, FUNCTION_ARN, FakeClients, FakeClock, FakeLambda, FakeQueue
from pollers import EventSources, InvalidMapping, check_limits, compile_filter

function = FakeLambda(lambda records: None)
function.mappings = [
    {"UUID": "u1", "EventSourceArn": QUEUE_ARN, "FunctionArn": FUNCTION_ARN, "State": "Enabled",
     "ScalingConfig": {"MaximumConcurrency": 2}}
]
with EventSources(FakeClients(lambda_=function, sqs=FakeQueue(FakeClock(), "hello"))):
    deadline = time.monotonic() + 20
    while not function.events and time.monotonic() < deadline:
        time.sleep(0.01)
assert not {"outbox_local", "outbox_cli", "tests"} & sys.modules.keys()
print(function.events[0][0]["body"])
"""


def imported_modules(source: Path) -> Iterator[str]:
    """The names of modules outside the folder."""
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level != 1:
            assert node.level == 0, f"{source} imports from above its folder"
            yield node.module or ""


def test_event_sources_import_the_standard_library_boto3_and_themselves_alone() -> None:
    sources = sorted(EVENT_SOURCES.glob("*.py"))

    imported = {module for source in sources for module in imported_modules(source)}

    roots = {module.split(".")[0] for module in imported} - set(sys.stdlib_module_names)
    assert len(sources) > 10
    assert {root for root in roots if not root.startswith("types_boto3")} == {"boto3", "botocore"}


def test_event_sources_copied_alone_under_another_name_deliver(tmp_path: Path) -> None:
    shutil.copytree(EVENT_SOURCES, tmp_path / "pollers", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(Path(__file__).parent / "fakes.py", tmp_path)

    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert (ended.stdout, ended.stderr) == ("hello\n", "")
