"""A deployed stack as the operator's verbs see it: its outputs by purpose, and clients of its account.

The verbs never ask whether the stack is on AWS or on the local AWS: only how it was found differs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from outbox_cli.errors import StackUnavailableError
from outbox_cli.stack.outputs import WAY_TO_EXPORTS, one_outbox, read_outputs, region_of
from outbox_local.clients import Clients, MadeOnce
from outbox_local.running import StateFolder

if TYPE_CHECKING:  # the verbs themselves need no Pulumi
    from outbox_local.environment import LocalAws

# Without a network a verb says so within seconds, where botocore's own values wait for minutes.
AWS_CLIENT_CONFIG = Config(connect_timeout=5, retries={"mode": "standard", "total_max_attempts": 4})
FUNCTIONS = ("command", "relay", "consumer")
RECONCILER = "reconciler"


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
        value = self.outputs.get(output)
        if value is None:
            raise StackUnavailableError(f"The stack {self.name!r} exports no {output!r}: {WAY_TO_EXPORTS}")
        return str(value)


def functions_of(stack: Stack) -> tuple[str, ...]:
    """The functions whose logs tell of events: the three, and the reconciler where the stack has one."""
    has_reconciler = stack.outputs.get(f"{RECONCILER}_log_group_name") is not None
    return (*FUNCTIONS, RECONCILER) if has_reconciler else FUNCTIONS


def stack_of(aws: "LocalAws", name: str) -> Stack:
    """The stack that this process itself runs on a local AWS."""
    return Stack(name, aws.deployment.outputs, aws.clients)


def running_local_stack(folder: StateFolder, outbox: str | None = None) -> Stack:
    """The stack that `outbox local up` keeps running, with the outputs of one outbox.

    Raises:
        LocalAwsError: none is running.
        StackUnavailableError: it has no such outbox.
    """
    running = folder.read()
    outputs = one_outbox(running.outputs, outbox, f"The stack {running.stack!r}")
    return Stack(running.stack, outputs, Clients(running))


def stack_on_aws(named: str, outbox: str | None = None) -> Stack:
    """A stack that `pulumi up` deployed; the region comes from the stack's own queue.

    Args:
        named: the stack's name, or where its outputs are kept: see `outbox_cli.stack.outputs.read_outputs`.
        outbox: the name of one of its outboxes, where it has several.

    Raises:
        StackUnavailableError: its outputs cannot be found.
    """
    outputs = one_outbox(read_outputs(named), outbox, f"The stack {named!r}")
    session = boto3.Session(region_name=region_of(outputs))
    return Stack(named, outputs, MadeOnce(partial(session.client, config=AWS_CLIENT_CONFIG)))
