"""Which stack a verb works on: the option that every verb shares, and the stack it stands for."""

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


def chosen_stack(on_aws: str | None) -> Stack:
    """The stack on AWS that was named, or the one that `outbox local up` keeps running.

    Raises:
        LocalAwsError: none was named, and no local AWS is running.
        StackUnavailableError: the named one cannot be found.
    """
    return running_local_stack(StateFolder.of_user()) if on_aws is None else stack_on_aws(on_aws)
