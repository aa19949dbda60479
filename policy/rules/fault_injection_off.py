"""A production stack injects no faults: the setting makes every message of one order fail."""

from pack.options import PRODUCTION_STACKS, in_production, texts
from pack.resources import FUNCTION, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.stack import variables_of
from pack.values import UNKNOWN

FIX = "Remove the variable."


@resource_rule(
    name="fault-injection-off",
    description="Functions of production stacks inject no faults.",
    remediation=FIX,
    types=[FUNCTION],
    options={
        **PRODUCTION_STACKS,
        "variables": texts(["FAULT_AFTER_COMMIT"], "Environment variables that switch faults on."),
    },
)
def judge(function: Resource, config: Config) -> Verdicts:
    """Judge the environment of a function in a production stack; a variable counts whatever its value is."""
    if not in_production(function, config):
        return
    if function.get("environment", "variables") is UNKNOWN:
        yield function.pending("environment", "variables")
    for name in config["variables"]:
        if variables_of(function).get(name):
            yield function.finding(
                f"Function '{function.name}' must inject no faults in stack '{function.stack}'; its environment "
                f"has {name}. {FIX}"
            )
