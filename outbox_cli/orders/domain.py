"""Which stacks are the walkthrough's: those that export it as their domain.

A component's function has the same name, handler and variables whatever code it runs, so nothing else tells.
"""

from outbox_cli.errors import WrongUseError
from outbox_cli.stack.deployed import Stack

DOMAIN = "domain"
ORDERS = "orders"


def of_orders(stack: Stack) -> Stack:
    """The stack, if it takes orders.

    Raises:
        WrongUseError: it has another domain, or does not say which; nothing was changed.
    """
    if stack.outputs.get(DOMAIN) != ORDERS:
        raise WrongUseError(
            f"The stack {stack.name!r} does not export {DOMAIN!r} as {ORDERS!r}, so nothing is changed: `fault` and "
            "`verify` are for the walkthrough's orders. If this stack takes them, export it and run `pulumi up`."
        )
    return stack
