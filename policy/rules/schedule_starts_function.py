"""A function that only a schedule starts is started: by a rule that is on, aims at it, and may invoke it.

https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-rule-schedule.html
"""

import re
from collections.abc import Iterator
from typing import Any

from contract import CONTRACTS
from pack.options import whole
from pack.resources import FUNCTION, PERMISSION, SCHEDULE, TARGET, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, purpose_of
from pack.values import UNKNOWN

EXPRESSION = re.compile(r"rate\((\d+) (minute|hour)s?\)")
MINUTES = {"minute": 1, "hour": 60}
ENABLED = (None, "ENABLED")
INVOKE = "lambda:InvokeFunction"
SERVICE = "events.amazonaws.com"
FIX = "Give it a rule with a rate, a target with its ARN, and a permission for events.amazonaws.com with its ARN."


@stack_rule(
    name="schedule-starts-function",
    description="A contract's scheduled function is started by a rule that is on and may invoke it.",
    remediation=FIX,
    options={"maximumMinutes": whole(60, "Longest time between two runs.", minimum=1)},
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge each function whose contract says that it is scheduled."""
    for function in stack.of(FUNCTION):
        contract = CONTRACTS.get(purpose_of(stack, function))
        if contract is None or not contract.scheduled:
            continue
        problems: list[str] = []
        targets = [
            each for each in stack.of(TARGET) if function in stack.targets(each, "arn", types=[FUNCTION])
        ]
        if not targets:
            problems.append("no target of a rule names it")
        for target in targets:
            rules = stack.targets(target, "rule", types=[SCHEDULE])
            if not rules:
                problems.append(f"the rule of '{target.name}' is not in this stack")
            for rule in rules:
                problems += _rule_problems(rule, config)
                if not any(_allows(stack, each, function, rule) for each in stack.of(PERMISSION)):
                    problems.append(f"no permission lets '{rule.name}' invoke it")
                for name in ("scheduleExpression", "state"):
                    if rule.get(name) is UNKNOWN:
                        yield rule.pending(name)
        if problems:
            yield function.finding(
                f"Function '{function.name}' must be started by its schedule: {'; '.join(problems)}. {FIX}"
            )


def _rule_problems(rule: Resource, config: Config) -> Iterator[str]:
    if rule.get("state") not in (*ENABLED, UNKNOWN):
        yield f"'{rule.name}' is off"
    expression = rule.get("scheduleExpression")
    if expression is UNKNOWN:
        return
    rate = EXPRESSION.fullmatch(expression) if isinstance(expression, str) else None
    if rate is None:
        yield f"'{rule.name}' has no rate in minutes or hours"
    elif not 1 <= int(rate[1]) * MINUTES[rate[2]] <= config["maximumMinutes"]:
        most = f"{config['maximumMinutes']:g} minutes"
        yield f"'{rule.name}' starts it every {rate[1]} {rate[2]}s, but the interval must be 1 to {most}"


def _allows(stack: Stack, permission: Resource, function: Resource, rule: Resource) -> bool:
    """Whether a permission lets the rule invoke the function, or could turn out to."""
    return (
        _is(permission.get("action"), INVOKE)
        and _is(permission.get("principal"), SERVICE)
        and function in stack.targets(permission, "function", types=[FUNCTION])
        and rule in stack.targets(permission, "sourceArn", types=[SCHEDULE])
    )


def _is(value: Any, wanted: str) -> bool:
    return value is UNKNOWN or value == wanted
