"""Runs a Pulumi program without engine or account and records every resource it registers.

The answers look like the provider's: names with a random-looking end, ARNs in a chosen partition, region and account.
"""

import asyncio
import contextvars
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pulumi
from pulumi.output import Unknown
from pulumi.runtime import mocks as pulumi_mocks
from pulumi.runtime import rpc
from pulumi.runtime.config import set_all_config
from pulumi.runtime.settings import SETTINGS, get_project, get_root_resource, get_stack
from pulumi.runtime.stack import Stack, run_pulumi_func

TABLE = "aws:dynamodb/table:Table"
QUEUE = "aws:sqs/queue:Queue"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
FUNCTION = "aws:lambda/function:Function"
MAPPING = "aws:lambda/eventSourceMapping:EventSourceMapping"
STACK = "pulumi:pulumi:Stack"
LAMBDA_FUNCTION = "outbox:index:LambdaFunction"

PROJECT = "transactional-outbox"
NAME_END = "-1a2b3c4"
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
    """What a program registered and exported."""

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


class AwsMocks(pulumi_mocks.Mocks):
    """Answers with what the AWS provider would compute; nothing computed is known at preview."""

    def __init__(
        self,
        *,
        partition: str = "aws",
        region: str = "us-east-1",
        account: str = "123456789012",
        preview: bool = False,
        overrides: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        self.partition = partition
        self.region = region
        self.account = account
        self.preview = preview
        self.overrides = overrides or {}
        self.provider_regions: dict[str, str] = {}

    def call(self, args: pulumi_mocks.MockCallArgs) -> Any:
        raise AssertionError(f"The program looked something up: {args.token} {args.args}")

    def new_resource(self, args: pulumi_mocks.MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if not args.custom:
            return "", args.inputs
        if args.typ.startswith("pulumi:providers:"):
            self.provider_regions[f"{args.name}-id"] = args.inputs["region"]
            return f"{args.name}-id", args.inputs
        if self.preview:
            return "", args.inputs
        name = args.name + NAME_END
        region = self.provider_regions.get((args.provider or "").rpartition("::")[2], self.region)
        computed = self._computed(args.typ, name, region, args.inputs) | dict(
            self.overrides.get(args.typ, {})
        )
        return computed.get("uuid", name), args.inputs | computed

    def _computed(self, type_: str, name: str, region: str, inputs: Mapping[str, Any]) -> dict[str, Any]:
        def arn(service: str, resource: str, *, place: str = region) -> str:
            return f"arn:{self.partition}:{service}:{place}:{self.account}:{resource}"

        table = arn("dynamodb", f"table/{name}")
        answers: dict[str, dict[str, Any]] = {
            TABLE: {
                "name": name,
                "arn": table,
                "streamArn": f"{table}/stream/2026-09-05T12:00:00.000" if inputs.get("streamEnabled") else "",
            },
            QUEUE: {
                "name": name,
                "arn": arn("sqs", name),
                "url": f"https://sqs.{region}.test/{self.account}/{name}",
            },
            LOG_GROUP: {"name": name, "arn": arn("logs", f"log-group:{name}")},
            ROLE: {"name": name, "arn": arn("iam", f"role/{name}", place="")},
            ROLE_POLICY: {"name": name},
            FUNCTION: {"name": name, "arn": arn("lambda", f"function:{name}")},
            MAPPING: {"uuid": f"uuid-of-{name}"},
        }
        assert type_ in answers, f"The program registered a resource of an unexpected type: {type_} {name}"
        return answers[type_]


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
    """What the output that `value` returns turns out to be.

    Tests assert on the answer: an assertion inside a callback would never run for an unknown output.

    Raises:
        AssertionError: it is not known.
    """
    exports = run(lambda: pulumi.export("value", value()), mocks).exports
    assert "value" in exports, "the output is not known, so nothing about it was checked"
    return exports["value"]


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
