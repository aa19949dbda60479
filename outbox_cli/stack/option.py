"""The stack and the outbox that a verb works on: the two options that every verb shares."""

from typing import Annotated

import typer

from outbox_cli.stack.deployed import Stack, running_local_stack, stack_on_aws
from outbox_local.running import StateFolder

OnAws = Annotated[
    str | None,
    typer.Option(
        "--aws",
        metavar="STACK|FILE.json|-",
        help="A stack on AWS: its name for the Pulumi CLI, or where the answer of `pulumi stack output --json` "
        "is kept, - for standard input. Without it: the running local AWS.",
    ),
]


OutboxName = Annotated[
    str | None,
    typer.Option("--outbox", metavar="NAME", help="One of a program that exports several outboxes."),
]


def chosen_stack(on_aws: str | None, outbox: str | None) -> Stack:
    """The stack on AWS that was named, or the one that `outbox local up` keeps running.

    Raises:
        LocalAwsError: none was named, and no local AWS is running.
        StackUnavailableError: the named one cannot be found.
    """
    if on_aws is not None:
        return stack_on_aws(on_aws, outbox)
    return running_local_stack(StateFolder.of_user(), outbox)
