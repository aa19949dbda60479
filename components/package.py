"""The identity of these components as a Pulumi package."""

PACKAGE = "outbox"
VERSION = "0.1.0"
"""Version of the components, of the Pulumi package and of the wheel; docs/components.md says when which part grows."""


def type_token(component: str) -> str:
    """The type token of a component class, the same from Python and through the plugin.

    A component built under two tokens would have two identities, and its resources would be replaced.
    """
    return f"{PACKAGE}:index:{component}"
