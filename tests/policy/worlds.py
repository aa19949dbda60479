"""Stacks as the policy analyzer sees them: resources with inputs, outputs, parents and dependencies."""

import pickle
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pulumi.runtime.mocks import MockResourceArgs
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE

from tests.unit.aws_mocks import AwsMocks
from tests.unit.recording import UNKNOWN
from tests.unit.root_program import ROOT, run_root

ACCOUNT = "123456789012"
STREAM_ARN = (
    f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/orders-source-1a2b3c4/stream/2026-09-05T12:00:00.000"
)


@dataclass
class Made:
    """A resource: what the program asked for and what the provider adds; for a component, what it registers."""

    type: str
    name: str
    urn: str
    inputs: dict[str, Any]
    computed: dict[str, Any] = field(default_factory=dict)
    parent: str | None = None
    protect: bool = False
    refers: dict[str, list[str]] = field(default_factory=dict)

    @property
    def outputs(self) -> dict[str, Any]:
        return self.inputs | self.computed


class World:
    """The resources of one stack, to be changed by a test."""

    def __init__(self, stack: str, made: Mapping[str, Made] | None = None) -> None:
        self.stack = stack
        self._made = dict(made or {})

    def __iter__(self) -> Iterator[Made]:
        return iter(self._made.values())

    def __getitem__(self, name: str) -> Made:
        return self._made[name]

    def of(self, type_: str) -> list[Made]:
        return [made for made in self if made.type == type_]

    def add(self, type_: str, name: str, inputs: dict[str, Any], **others: Any) -> Made:
        """Add a resource; in place of one of the same name, if there is one."""
        urn = f"urn:pulumi:{self.stack}::project::{type_}::{name}"
        self._made[name] = Made(type_, name, urn, inputs, **others)
        return self._made[name]

    def remove(self, name: str) -> None:
        del self._made[name]

    def urns(self, *names: str) -> list[str]:
        return [self[name].urn for name in names]


class _Answers(AwsMocks):
    """Keeps what the provider would add to each resource."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.added: dict[tuple[str, str], dict[str, Any]] = {}

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, Any]]:
        if args.custom and not args.typ.startswith("pulumi:"):
            added = self._computed(args.typ, f"{args.name}-1a2b3c4", self.region, args.inputs)
            self.added[args.typ, args.name] = dict.fromkeys(added, UNKNOWN) if self.preview else added
        return super().new_resource(args)


@cache
def _recorded(stack: str, partition: str, *, preview: bool, directory: Path) -> bytes:
    mocks = _Answers(partition=partition, preview=preview)
    recording = run_root(stack, mocks, directory=directory)
    made = {}
    for found in recording.registrations:
        added = mocks.added.get((found.type, found.name)) or recording.component_outputs.get(found.urn) or {}
        # A component may have the name of another; a resource on AWS never has.
        made[found.name if found.custom else f"{found.type}/{found.name}"] = Made(
            type=found.type,
            name=found.name,
            urn=found.urn,
            inputs=as_wire({name: value for name, value in found.inputs.items() if name != "code"}),
            computed=as_wire(added),
            parent=found.parent,
            protect=found.protect,
            refers={name: sorted(urns) for name, urns in found.property_dependencies.items()},
        )
    return pickle.dumps(World(stack, made))


def recorded(
    stack: str = "dev", *, partition: str = "aws", preview: bool = False, directory: Path = ROOT
) -> World:
    """A stack as the program of a folder, ours by default, registers it; nothing computed is known at preview."""
    made = _recorded(stack, partition, preview=preview, directory=directory)
    copy: World = pickle.loads(made)  # noqa: S301 made above; thousands of copies, ten times faster than by deepcopy
    return copy


def as_wire(value: Any) -> Any:
    """A value of the recording, its unknown parts with the mark that the engine sends."""
    if isinstance(value, dict):
        return {name: as_wire(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [as_wire(inner) for inner in value]
    return UNKNOWN_STRING_VALUE if value == UNKNOWN else value


def function_component(name: str) -> str:
    """The key of the component around a function of our stacks."""
    return f"outbox:index:LambdaFunction/{name}"
