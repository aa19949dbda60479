"""The pack as the engine runs it: its own process, spoken to as an analyzer."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import grpc
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import analyzer_pb2, analyzer_pb2_grpc

from tests.policy.worlds import Made, World
from tests.unit.root_program import ROOT


@contextmanager
def served_pack() -> Iterator[Any]:
    """A client of the pack, which is started for it and stopped after it."""
    command = [sys.executable, "-u", str(ROOT / "policy")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline())
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield analyzer_pb2_grpc.AnalyzerStub(channel)
        finally:
            process.kill()


def resource_request(made: Made) -> analyzer_pb2.AnalyzeRequest:
    """The engine's request before it registers a resource."""
    return analyzer_pb2.AnalyzeRequest(
        type=made.type, name=made.name, urn=made.urn, properties=_struct(made.inputs), options=_options(made)
    )


def stack_request(world: World) -> analyzer_pb2.AnalyzeStackRequest:
    """The engine's request at the end of a preview or update."""
    return analyzer_pb2.AnalyzeStackRequest(
        resources=[
            analyzer_pb2.AnalyzerResource(
                type=made.type,
                name=made.name,
                urn=made.urn,
                parent=made.parent or "",
                properties=_struct(made.outputs),
                options=_options(made),
                propertyDependencies={
                    name: analyzer_pb2.AnalyzerPropertyDependencies(urns=urns)
                    for name, urns in made.refers.items()
                },
            )
            for made in world
        ]
    )


def _options(made: Made) -> analyzer_pb2.AnalyzerResourceOptions:
    return analyzer_pb2.AnalyzerResourceOptions(protect=made.protect, parent=made.parent or "")


def _struct(properties: dict[str, Any]) -> Struct:
    struct = Struct()
    struct.update(properties)
    return struct
