"""What the policy pack adds to a preview: with the engine where there is one, else by the pack's own protocol.

Without an engine the pack is started as the engine starts it and asked what the engine asks at a preview of
the dev stack; what the program itself takes is then unknown, and said to be.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.functions import REGION
from benchmarks.paired import Tick, interleaved
from engine.build import LANGUAGE_HOSTS, EngineMissingError, engine_folders
from local.clients import Clients
from local.emulator import reserve_port, start_emulator
from local.paths import PROGRAM_DIRECTORY
from tests.engine.harness import Stack, copy_program, engine_environment

STAND_INS = PROGRAM_DIRECTORY / "local" / "engine"


def measure(rounds: int, tick: Tick = lambda: None) -> dict[str, object]:
    """Medians in seconds; the key `measured` says by what."""
    try:
        folders = engine_folders()
    except EngineMissingError:
        return {"measured": "the pack alone, because there is no engine", **_pack_alone()}
    return {"measured": "previews of the dev stack by the engine", **_by_engine(folders, rounds, tick)}


def _by_engine(folders: list[Path], rounds: int, tick: Tick) -> dict[str, object]:
    has_python_host = any((folder / LANGUAGE_HOSTS[0]).exists() for folder in folders)
    path = [*folders, STAND_INS / "bin", *([] if has_python_host else [STAND_INS / "language"])]
    with tempfile.TemporaryDirectory() as scratch, start_emulator(reserve_port(0), REGION) as emulator:
        program = copy_program(Path(scratch) / "program", "policy")
        clients = Clients(emulator.endpoint_url, emulator.region)
        stack = Stack("dev", program, engine_environment(path, Path(scratch), clients)).init(region=REGION)

        def preview(*options: str) -> float:
            begun = time.perf_counter()
            stack.preview(*options)
            return time.perf_counter() - begun

        samples = interleaved(
            {
                "without_pack_seconds": preview,
                "with_pack_seconds": lambda: preview("--policy-pack", str(program / "policy")),
            },
            rounds,
            tick,
        )
    return {name: statistics.median(seconds) for name, seconds in samples.items()}


def _pack_alone() -> dict[str, object]:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.policy.measure"],
        cwd=PROGRAM_DIRECTORY,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    figures: dict[str, object] = json.loads(answer.stdout)
    return figures
