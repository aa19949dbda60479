"""`python -m engine preview|up FOLDER`: a Pulumi program on a local AWS by the real engine, and nothing left behind.

`outbox local up` runs the root program without an engine; this runs any, in YAML too, as Pulumi itself would.
"""

import argparse
import contextlib
import json
import shlex
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.build import EngineMissingError, engine_folders
from engine.stack import (
    REPOSITORY,
    WITHOUT_CACHES,
    EngineCommandError,
    Stack,
    copy_program,
    engine_environment,
    search_path,
)
from outbox_local.clients import Clients
from outbox_local.emulator import reserve_port, start_emulator
from outbox_local.environment import driven
from outbox_local.errors import LocalAwsError
from outbox_local.program import read_stack_config, region_override

PARTS_BESIDE_THE_PROGRAM = ("plugin",)
ANY_FREE_PORT = 0


def main(arguments: list[str]) -> int:
    """Run one verb; 0 done, 1 the program, the engine or the local AWS refused."""
    asked = _parser().parse_args(arguments)
    stopped = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # the last where its terminal is closed
        signal.signal(each, lambda *_: stopped.set())
    try:
        with _stack(asked.folder.resolve(), asked.stack, asked.region) as (stack, clients, scratch):
            if asked.verb == "preview":
                _say(stack.preview().stdout)
            else:
                _up(stack, clients, scratch, stopped, speed=asked.speed)
    except (EngineMissingError, EngineCommandError, LocalAwsError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m engine", description=__doc__.partition("\n")[0])
    parser.add_argument("verb", choices=["preview", "up"], help="up keeps it until Ctrl-C, then destroys it")
    parser.add_argument("folder", type=Path, help="the program's folder, the one with Pulumi.yaml")
    parser.add_argument("--stack", default="dev", help="whose Pulumi.<stack>.yaml to use; dev unless given")
    parser.add_argument("--region", help="instead of the aws:region of the stack's file")
    parser.add_argument(
        "--speed", type=_speed, default=1.0, help="divides the waits of mappings and schedules"
    )
    return parser


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not speed > 0:
        raise argparse.ArgumentTypeError(f"{text} is no number above 0; 1 keeps every wait as deployed")
    return speed


@contextlib.contextmanager
def _stack(folder: Path, name: str, region: str | None) -> Iterator[tuple[Stack, Clients, Path]]:
    """The program's stack on an emulator of its own, not deployed yet; all of it is gone with the block."""
    config = read_stack_config(folder, name, region_override(region))
    path = search_path(engine_folders())
    _say(f"The engine is {shutil.which('pulumi', path=str(path[0]))}.")
    with (
        tempfile.TemporaryDirectory(prefix="outbox-engine-") as scratch,
        start_emulator(reserve_port(ANY_FREE_PORT), config.region) as emulator,
    ):
        clients = Clients(emulator)
        environment = engine_environment(path, Path(scratch), clients)
        copy = copied(folder, Path(scratch, "copy"))
        yield Stack(name, copy, environment).init(region=config.region), clients, Path(scratch)


def copied(folder: Path, root: Path) -> Path:
    """A copy of a program, with this repository where it was seen from there: the engine writes beside what it runs.

    Args:
        folder: the program's own folder, absolute.
        root: the folder to copy to, below which both keep their whole paths, so that relative ones hold.
    """
    checkout = copy_program(root / REPOSITORY.relative_to("/"), *PARTS_BESIDE_THE_PROGRAM)
    copy = root / folder.relative_to("/")
    if copy != checkout:
        shutil.copytree(folder, copy, ignore=WITHOUT_CACHES)
        (copy / ".venv").symlink_to(sys.prefix)
    return copy


def _up(stack: Stack, clients: Clients, scratch: Path, stopped: threading.Event, *, speed: float) -> None:
    _say("Deploying ...")
    stack.up()
    try:
        with driven(clients, speed=speed):
            outputs = stack.outputs()
            _say(json.dumps(outputs, indent=2))
            _say(_what_next(outputs, clients, scratch))
            stopped.wait()
    finally:
        _say("Destroying ...")
        stack.destroy()
    _say("Gone.")


def _what_next(outputs: dict[str, Any], clients: Clients, folder: Path) -> str:
    """The lines for another terminal, with a file of outputs for each outbox that the program exports."""
    named = {name: value for name, value in outputs.items() if isinstance(value, dict)} or {"stack": outputs}
    # The keys stay off the terminal and out of logs: the folder is only its user's.
    keys = folder / "keys"
    variables = clients.endpoint.environment.items()
    keys.write_text("".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables))
    files = [folder / f"{name}.json" for name in named]
    for file, value in zip(files, named.values(), strict=True):
        file.write_text(json.dumps(value))
    lines = [
        "It stands until Ctrl-C. In another terminal:",
        f"  . {shlex.quote(sys.prefix)}/bin/activate",
        f"  . {keys}",
        *(f"  outbox status --aws {file}" for file in files),
        "And where a command takes orders, as the walkthrough's does:",
        f"  outbox place order-a 1000 --aws {files[0]}",
    ]
    return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
