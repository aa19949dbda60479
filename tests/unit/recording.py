"""Runs a Pulumi program without engine or account and records every resource it registers."""

import asyncio
import contextvars
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pytest
from pulumi.output import Unknown
from pulumi.runtime import mocks as pulumi_mocks
from pulumi.runtime import rpc
from pulumi.runtime.config import set_all_config
from pulumi.runtime.settings import SETTINGS, get_project, get_root_resource, get_stack
from pulumi.runtime.stack import Stack, run_pulumi_func

from tests.unit.aws_mocks import ROLE_POLICY, AwsMocks

STACK = "pulumi:pulumi:Stack"
LAMBDA_FUNCTION = "outbox:index:LambdaFunction"
PROJECT = "transactional-outbox"
UNKNOWN = "<unknown>"


@dataclass(frozen=True)
class Registration:
    """One resource as the engine was asked for it."""

    type: str
    name: str
    urn: str
    parent: str
    custom: bool
    inputs: dict[str, Any]
    dependencies: frozenset[str]
    property_dependencies: dict[str, frozenset[str]]
    provider: str
    alias_names: list[str]
    protect: bool
    retain_on_delete: bool
    delete_before_replace: bool


@dataclass(frozen=True)
class Recording:
    """Registrations and exports of a program."""

    registrations: list[Registration] = field(default_factory=list)
    component_outputs: dict[str, dict[str, Any]] = field(default_factory=dict)
    exports: dict[str, Any] = field(default_factory=dict)

    def of_type(self, type_: str) -> list[Registration]:
        return [registration for registration in self.registrations if registration.type == type_]

    def one(self, type_: str, name: str) -> Registration:
        (found,) = [registration for registration in self.of_type(type_) if registration.name == name]
        return found

    @property
    def custom(self) -> list[Registration]:
        """The resources that exist on AWS: neither components nor providers."""
        return [
            registration
            for registration in self.registrations
            if registration.custom and not registration.type.startswith("pulumi:providers:")
        ]


class RecordingMonitor(pulumi_mocks.MockMonitor):
    """Stands for the engine and keeps each request, including what the mocks are not told."""

    def __init__(self, mocks: pulumi_mocks.Mocks, recording: Recording) -> None:
        super().__init__(mocks)
        self.recording = recording

    def make_urn(self, parent: str, type_: str, name: str) -> str:
        """As the engine does: the types of all parents but the stack, where the mock keeps only the last."""
        parents = parent.split("::")[2] if parent else STACK
        chain = type_ if parents == STACK else f"{parents}${type_}"
        return f"urn:pulumi:{get_stack()}::{get_project()}::{chain}::{name}"

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the engine's method name
        with _own_loop():
            return self._register(request)

    def _register(self, request: Any) -> Any:
        response = super().RegisterResource(request)  # type: ignore[no-untyped-call] # the SDK's own
        if request.type != STACK:
            self.recording.registrations.append(
                Registration(
                    type=request.type,
                    name=request.name,
                    urn=response.urn,
                    parent=request.parent,
                    custom=request.custom,
                    inputs=_plain(request.object),
                    dependencies=frozenset(request.dependencies),
                    property_dependencies={
                        name: frozenset(found.urns) for name, found in request.propertyDependencies.items()
                    },
                    provider=request.provider,
                    alias_names=[alias.spec.name for alias in request.aliases],
                    protect=request.protect,
                    retain_on_delete=request.retainOnDelete,
                    delete_before_replace=request.deleteBeforeReplace,
                )
            )
        return response

    def Invoke(self, request: Any) -> Any:  # noqa: N802 - the engine's method name
        with _own_loop():
            return super().Invoke(request)  # type: ignore[no-untyped-call] # the SDK's own

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the engine's method name
        with _own_loop():
            self.recording.component_outputs[request.urn] = _plain(request.outputs)
        return super().RegisterResourceOutputs(request)  # type: ignore[no-untyped-call] # the SDK's own


def run(
    program: Callable[[], object],
    mocks: AwsMocks | None = None,
    *,
    config: Mapping[str, str] | None = None,
    project: str = PROJECT,
    stack: str = "dev",
) -> Recording:
    """Run a program to its end, on an event loop and in a context of its own.

    Raises:
        AssertionError: the program looked something up, or registered a resource of an unexpected type.
    """
    return contextvars.copy_context().run(
        _run, program, mocks or AwsMocks(), dict(config or {}), project, stack
    )


def resolve(value: Callable[[], pulumi.Input[Any]], mocks: AwsMocks | None = None) -> Any:
    """Value of the output that `value` returns.

    Tests assert on the answer: an assertion inside a callback would never run for an unknown output.

    Raises:
        AssertionError: it is not known.
    """
    exports = run(lambda: pulumi.export("value", value()), mocks).exports
    assert "value" in exports, "the output is not known, so nothing about it was checked"
    return exports["value"]


def refused(build: Callable[[], object]) -> list[str]:
    """Names that a program registered that had to be refused."""
    names: list[str] = []

    class Watching(AwsMocks):
        def new_resource(self, args: Any) -> tuple[str | None, dict[str, Any]]:
            names.append(args.name)
            return super().new_resource(args)

    # The SDK wraps what a callback raises in a ValueError of its own that repeats the sentence.
    with pytest.raises(ValueError, match=r"; accepted | must be |stream is off|\. Give "):
        run(build, Watching())
    return names


def statements(recording: Recording, name: str) -> dict[str, dict[str, Any]]:
    document = json.loads(recording.one(ROLE_POLICY, f"{name}-policy").inputs["policy"])
    return {statement["Sid"]: statement for statement in document["Statement"]}


def _run(
    program: Callable[[], object], mocks: AwsMocks, config: dict[str, str], project: str, stack: str
) -> Recording:
    recording = Recording()
    SETTINGS.outputs.clear()  # a failed run leaves its outputs, tied to its closed loop
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # The first failure is raised; what fails because of it would only be printed when it is collected.
    loop.set_exception_handler(lambda _loop, _context: None)
    try:
        monitor = RecordingMonitor(mocks, recording)
        pulumi_mocks.set_mocks(mocks, project=project, stack=stack, preview=mocks.preview, monitor=monitor)
        set_all_config(config, [])
        root = get_root_resource()
        assert isinstance(root, Stack)

        def whole() -> None:
            program()
            pulumi.Output.all(**root.outputs).apply(recording.exports.update)

        loop.run_until_complete(run_pulumi_func(whole))
    finally:
        unfinished = asyncio.all_tasks(loop)
        for task in unfinished:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*unfinished, return_exceptions=True))
        asyncio.set_event_loop(None)
        loop.close()
    return recording


@contextmanager
def _own_loop() -> Iterator[None]:
    """A loop for the worker thread; the mock monitor makes one otherwise and leaves it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def _plain(message: Any) -> dict[str, Any]:
    """A request's properties as Python values, with a mark for what is not known at preview."""
    values = rpc.deserialize_properties(message, keep_unknowns=True)
    return {name: _mark(value) for name, value in values.items()}


def _mark(value: Any) -> Any:
    if isinstance(value, Unknown):
        return UNKNOWN
    if isinstance(value, dict):
        return {key: _mark(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_mark(inner) for inner in value]
    return value
