"""Testing kit: the program of a folder on a local AWS of its own, for your tests. Needs the extra `local`."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from outbox_cli.stack.deployed import Stack, stack_of
from outbox_cli.status.stored import scan
from outbox_cli.waiting import Wait
from outbox_local.emulator import reserve_port
from outbox_local.environment import run_local_aws
from outbox_local.program import read_stack_config

__all__ = ["InvocationFailedError", "LocalProgram", "Wait", "local_program"]


class InvocationFailedError(Exception):
    """Raised when an invoked function raised; the message is the function's own."""


class LocalProgram:
    """A program that runs on the local AWS."""

    def __init__(self, stack: Stack) -> None:
        self._stack = stack

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The values that the program exports, by name."""
        return self._stack.outputs

    def client(self, service: str) -> Any:
        """A boto3 client of the local AWS, with the operator's rights."""
        return self._stack.clients(service)

    def invoke(self, function_name: str, event: object) -> Any:
        """Invokes a function and returns its answer.

        Raises:
            InvocationFailedError: it raised.
        """
        answer = self.client("lambda").invoke(FunctionName=function_name, Payload=json.dumps(event).encode())
        payload = json.loads(answer["Payload"].read())
        if answer.get("FunctionError"):
            raise InvocationFailedError(payload.get("errorMessage") or str(payload))
        return payload

    def items(self, table_name: str) -> list[dict[str, Any]]:
        """Every item of a table, as plain values."""
        return list(scan(self._stack, table_name))


@contextmanager
def local_program(directory: Path, stack: str = "dev", *, speed: float = 30.0) -> Iterator[LocalProgram]:
    """Deploys the program of a folder to a local AWS, which ends with the block.

    Args:
        directory: the folder with Pulumi.yaml.
        stack: whose Pulumi.<stack>.yaml to deploy.
        speed: divides the waits of event sources and schedules; deployed values stay.

    Raises:
        LocalAwsError: the program, its configuration or a resource was refused.
    """
    config = read_stack_config(directory, stack, {})
    with run_local_aws(reserve_port(0), config, directory, speed=speed) as aws:
        yield LocalProgram(stack_of(aws, stack))
