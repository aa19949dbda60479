"""Which stacks take the walkthrough's orders: those that export it.

A component's function has the same name, handler and variables whatever code it runs, so nothing else tells.
"""

from outbox_cli.errors import WrongUseError
from outbox_cli.stack.deployed import Stack

DOMAIN = "domain"
ORDERS = "orders"


def takes_orders(stack: Stack) -> bool:
    """Whether the stack's functions are those of `handlers/`."""
    return stack.outputs.get(DOMAIN) == ORDERS


def of_orders(stack: Stack) -> Stack:
    """The stack, if it takes orders.

    Raises:
        WrongUseError: it has another domain, or does not say which; nothing was changed.
    """
    if not takes_orders(stack):
        raise WrongUseError(
            f"The stack {stack.name!r} does not export {DOMAIN!r} as {ORDERS!r}, so nothing is changed: `outbox "
            "place`, `send ORDER CENTS`, `fault` and `verify` are for the walkthrough's orders. Of another domain, "
            "use its own command and `outbox send FILE`; if this stack takes the orders, export it and run "
            "`pulumi up`."
        )
    return stack
