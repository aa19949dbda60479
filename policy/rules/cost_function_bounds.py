"""One invocation cannot cost much: timeout, memory and storage are bounded.

https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
"""

from typing import Any

from pack.resources import FUNCTION, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

BOUNDS = {
    ("timeout",): "maximumTimeoutSeconds",
    ("memorySize",): "maximumMemoryMegabytes",
    ("ephemeralStorage", "size"): "maximumStorageMegabytes",
}
"""Each property with the option that bounds it; what Lambda sets by itself is below all of them."""
FIX = "Lower it, or raise the bound in this rule's configuration."


def judge(function: Resource, config: Config) -> Verdicts:
    """Judge the bounds of a function."""
    for path, option in BOUNDS.items():
        value = function.get(*path)
        if value is UNKNOWN:
            yield function.pending(*path)
        elif (value or 0) > config[option]:
            yield function.finding(
                f"Function '{function.name}' must have {'.'.join(path)} of {config[option]:g} at most; "
                f"it is {value:g}. {FIX}"
            )


def _option(default: int, description: str) -> dict[str, Any]:
    return {"type": "integer", "minimum": 1, "default": default, "description": description}


RULE = resource_rule(
    name="cost-function-bounds",
    level=Level.MANDATORY,
    description="Timeout, memory and storage of functions are bounded.",
    remediation=FIX,
    types=[FUNCTION],
    judge=judge,
    options={
        "maximumTimeoutSeconds": _option(
            300, "Longest run of one invocation; a large stack's reconciler takes most."
        ),
        "maximumMemoryMegabytes": _option(
            1769, "Most memory of a function; with so much it has a whole processor."
        ),
        "maximumStorageMegabytes": _option(512, "Most temporary storage; what is above 512 is billed."),
    },
)
