"""The identity of these components as a Pulumi package."""

PACKAGE = "outbox"


def type_token(component: str) -> str:
    """The type token of a component class, the same from Python and through the plugin.

    A component built under two tokens would have two identities, and its resources would be replaced.
    """
    return f"{PACKAGE}:index:{component}"
