"""Runs the transforms of a program's resources, as the engine does: the SDK's mock monitor only keeps them.

https://www.pulumi.com/docs/iac/concepts/options/transforms/
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi.runtime import mocks, rpc

from outbox_local.errors import ProgramError

Transform = Callable[[pulumi.ResourceTransformArgs], Any]


class TransformingMonitor(mocks.MockMonitor):
    """Hands on each registration as its own transforms, its parents' and the stack's leave it, in this order.

    What a transform does to options makes no difference here.

    Args:
        registrar: is told of the registrations.
        loop: the program's own, on which its outputs live; registrations come from other threads.
    """

    def __init__(self, registrar: mocks.Mocks, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(registrar)
        self._loop = loop
        self._of_children: dict[str, list[Transform]] = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 the protocol's own name
        """See the base class."""
        transforms = [
            *mocks._resolve_callbacks(request.transforms),
            *self._of_children.get(request.parent, []),
        ]
        self._of_children[self.make_urn(request.parent, request.type, request.name)] = transforms
        for transform in [*transforms, *self._stack_transforms]:
            running = asyncio.run_coroutine_threadsafe(_transformed(transform, request), self._loop)
            try:
                request.object.CopyFrom(running.result())
            except Exception as error:
                raise ProgramError(
                    f"A transform of {request.type} {request.name!r} failed: {error}"
                ) from error
        return super().RegisterResource(request)  # type: ignore[no-untyped-call]


async def _transformed(transform: Transform, request: Any) -> struct_pb2.Struct:
    args = pulumi.ResourceTransformArgs(
        custom=request.custom,
        type_=request.type,
        name=request.name,
        props=rpc.deserialize_properties(request.object),
        opts=pulumi.ResourceOptions(),
    )
    result = transform(args)
    if isinstance(result, Awaitable):
        result = await result
    return request.object if result is None else await rpc.serialize_properties(result.props, {})
