"""Runs the unchanged Pulumi program in this process, through the SDK's mock monitor, with no engine.

What the monitor is asked to register goes to a function of the caller's, in the order in which the program's
own dependencies release it: a resource is registered when everything that it waits for is known.
"""

import asyncio
import contextlib
import contextvars
import json
import logging
import re
import runpy
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pulumi
import pulumi.runtime
from pulumi.runtime import mocks
from pulumi.runtime.settings import SETTINGS
from pulumi.runtime.stack import run_pulumi_func

from outbox_local.errors import LocalAwsError, ProgramError
from outbox_local.resources import Created, Properties
from outbox_local.transforms import TransformingMonitor
from outbox_local.yaml_files import read_mapping

REGION = re.compile(r"[a-z]{2,4}(-[a-z]+)+-\d")


@dataclass(frozen=True)
class StackConfig:
    """A project's name and a stack's whole configuration, as the engine would hand it to the program."""

    project: str
    stack: str
    values: Mapping[str, str]

    @property
    def region(self) -> str:
        """The stack's region.

        Raises:
            ProgramError: the stack's file names none, or something that is no region.
        """
        region = self.values.get("aws:region", "")
        if not REGION.fullmatch(region):
            raise ProgramError(
                f"aws:region of the stack {self.stack!r} must be a region's name such as eu-central-1, "
                f"but is {region or 'nothing'!r}. Name the region with --region."
            )
        return region


@dataclass(frozen=True)
class Registration:
    """A custom resource that the program registers, with every input known."""

    pulumi_type: str
    name: str
    inputs: Properties


def read_stack_config(directory: Path, stack: str, overrides: Mapping[str, str]) -> StackConfig:
    """Reads Pulumi.yaml and Pulumi.<stack>.yaml, with the project's defaults under the stack's values.

    Args:
        directory: where the program's files are.
        stack: the stack's name.
        overrides: further configuration, by its full key (`namespace:key`).

    Raises:
        ProgramError: the folder has no program, or the stack has no file; names those that there are.
    """
    if not (directory / "Pulumi.yaml").is_file():
        raise ProgramError(f"There is no Pulumi.yaml in {directory}: name the folder of a Pulumi program.")
    project_file = read_mapping(directory / "Pulumi.yaml")
    project = project_file["name"]
    stack_path = directory / f"Pulumi.{stack}.yaml"
    # Among those that there are: the name of a file may be too long, or lead elsewhere.
    files = directory.glob("Pulumi.*.yaml")
    known = sorted(each.name.removeprefix("Pulumi.").removesuffix(".yaml") for each in files)
    if stack not in known:
        choice = (
            f"choose one of {', '.join(known)}" if known else f"write {stack_path.name} with its aws:region"
        )
        raise ProgramError(f"There is no stack {stack!r} here: {choice}.")
    config = read_mapping(stack_path).get("config") or {}
    if not isinstance(config, dict):
        raise ProgramError(f"{stack_path.name} has a config that is no mapping of keys to values.")
    defaults = {
        key: declared["default"]
        for key, declared in (project_file.get("config") or {}).items()
        if isinstance(declared, dict) and "default" in declared
    }
    given = defaults | config
    values = {key if ":" in key else f"{project}:{key}": _as_text(key, value) for key, value in given.items()}
    return StackConfig(project, stack, values | dict(overrides))


def region_override(region: str | None) -> dict[str, str]:
    """The configuration that chooses a region, if one is given."""
    return {} if region is None else {"aws:region": region}


def run_program(
    directory: Path, config: StackConfig, register: Callable[[Registration], Created]
) -> dict[str, Any]:
    """Runs `__main__.py` of the directory and returns what it exports, every value known.

    Args:
        directory: the folder of the program.
        config: from `read_stack_config`.
        register: makes the resource and returns its id and outputs; called for custom resources alone.

    Raises:
        ProgramError: the program refused its configuration or failed.
    """
    return contextvars.Context().run(_run, directory, config, register)


def _run(directory: Path, config: StackConfig, register: Callable[[Registration], Created]) -> dict[str, Any]:
    pulumi.runtime.set_all_config(dict(config.values))
    place = directory.resolve()
    with _registering_threads() as executor, asyncio.Runner() as runner, _in_its_folder(place):
        loop = runner.get_loop()
        loop.set_default_executor(executor)
        # A failed registration fails all that waits for it; the first failure is raised, its echoes are no news.
        loop.set_exception_handler(lambda *_: None)
        return runner.run(_program(place / "__main__.py", config, register))


async def _program(
    path: Path, config: StackConfig, register: Callable[[Registration], Created]
) -> dict[str, Any]:
    # As the SDK's own test decorator does: what an earlier run that failed left waiting is not this run's.
    SETTINGS.outputs.clear()
    registrar = _Registrar(register)
    mocks.set_mocks(
        registrar,
        project=config.project,
        stack=config.stack,
        preview=False,
        logger=logging.getLogger("outbox.program"),
        monitor=TransformingMonitor(registrar, asyncio.get_running_loop()),
    )
    await run_pulumi_func(lambda: _execute(path))
    exported = pulumi.runtime.get_root_resource().outputs  # type: ignore[union-attr]
    return {name: await pulumi.Output.from_input(value).future() for name, value in exported.items()}


@contextlib.contextmanager
def _registering_threads() -> Iterator[ThreadPoolExecutor]:
    """The threads in which the SDK registers resources. It gives each an event loop and closes none: this does."""
    loops: list[asyncio.AbstractEventLoop] = []

    def begin() -> None:
        loops.append(asyncio.new_event_loop())
        asyncio.set_event_loop(loops[-1])

    try:
        with ThreadPoolExecutor(thread_name_prefix="register", initializer=begin) as executor:
            yield executor
    finally:
        for loop in loops:
            loop.close()


def _execute(path: Path) -> None:
    try:
        runpy.run_path(str(path), run_name="__main__")
    except (KeyboardInterrupt, LocalAwsError):
        raise
    except (pulumi.RunError, ValueError, TypeError) as error:
        raise ProgramError(str(error)) from error
    except BaseException as error:  # the user's own code, which may raise anything, or exit
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise ProgramError(
            f"The program failed at {place.filename}, line {place.lineno}: {type(error).__name__}: {error}."
        ) from error


class _Registrar(pulumi.runtime.Mocks):
    def __init__(self, register: Callable[[Registration], Created]) -> None:
        self._register = register

    def new_resource(self, args: pulumi.runtime.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if not args.custom:  # a component exists in the program alone
            return "", {}
        created = self._register(Registration(args.typ, args.name, args.inputs))
        return created.id, created.outputs

    def call(self, args: pulumi.runtime.MockCallArgs) -> tuple[dict[str, Any], None]:
        raise ProgramError(
            f"The local AWS answers no look-ups, and the program asks {args.token}: "
            "take the value from a resource's output."
        )


@contextlib.contextmanager
def _in_its_folder(directory: Path) -> Iterator[None]:
    """As the language host does: the program's own folder is the working directory, and first on the path."""
    sys.path.insert(0, str(directory))
    try:
        with contextlib.chdir(directory):
            yield
    finally:
        sys.path.remove(str(directory))


def _as_text(key: str, value: object) -> str:
    """Configuration reaches a program as text, and anything but text in its JSON form."""
    if value is None:
        raise ProgramError(f"{key} has no value: give one, or leave the key out.")
    if isinstance(value, dict) and set(value) == {"secure"}:
        raise ProgramError(
            f"{key} is encrypted, which the local AWS cannot read: use a stack file in plain text."
        )
    return value if isinstance(value, str) else json.dumps(value)
