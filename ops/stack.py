"""A deployed stack as the operator's verbs see it: its outputs by purpose, and clients of its account.

The verbs never ask whether the stack is on AWS or on the local AWS: only how it was found differs.
"""

import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3

from local.clients import Clients
from local.paths import PROGRAM_DIRECTORY
from local.running import StateFolder
from ops.errors import StackUnavailableError

if TYPE_CHECKING:  # the verbs themselves need no Pulumi
    from local.environment import LocalAws

FUNCTIONS = ("command", "relay", "consumer")


@dataclass(frozen=True)
class Stack:
    """Where a stack is and what it exports."""

    name: str
    outputs: Mapping[str, Any]
    clients: Callable[[str], Any]

    def __getitem__(self, output: str) -> str:
        """The output of this name.

        Raises:
            StackUnavailableError: the stack does not export it.
        """
        try:
            return str(self.outputs[output])
        except KeyError:
            raise StackUnavailableError(
                f"The stack {self.name!r} exports no {output!r}: "
                "deploy this version of the program to it first."
            ) from None


def stack_of(aws: "LocalAws", name: str) -> Stack:
    """The stack that this process itself runs on a local AWS."""
    return Stack(name, aws.deployment.outputs, aws.clients)


def running_local_stack(folder: StateFolder) -> Stack:
    """The stack that `outbox local up` keeps running.

    Raises:
        LocalAwsError: none is running.
    """
    running = folder.read()
    return Stack(running.stack, running.outputs, Clients(running.endpoint_url, running.region))


def stack_on_aws(name: str, directory: Path = PROGRAM_DIRECTORY) -> Stack:
    """A stack that `pulumi up` deployed; the region comes from the stack's own queue.

    Raises:
        StackUnavailableError: the Pulumi CLI is missing, or does not know the stack.
    """
    try:
        answer = subprocess.run(
            ["pulumi", "stack", "output", "--json", "--stack", name],
            cwd=directory,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError as error:
        raise StackUnavailableError(
            f"The outputs of the stack {name!r} come from the Pulumi CLI, and there is no `pulumi` on PATH: "
            "install it, or leave --stack out to use the local AWS."
        ) from error
    except subprocess.CalledProcessError as error:
        raise StackUnavailableError(
            f"The Pulumi CLI gives no outputs of the stack {name!r}: {error.stderr.strip()}"
        ) from error
    outputs = json.loads(answer.stdout)
    if "queue_arn" not in outputs:
        raise StackUnavailableError(
            f"The stack {name!r} exports no 'queue_arn': run `pulumi up` on it first."
        )
    session = boto3.Session(region_name=outputs["queue_arn"].split(":")[3])
    return Stack(name, outputs, session.client)  # type: ignore[arg-type]  # one overload a service
