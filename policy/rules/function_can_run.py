"""A function of a contract can start and finish: one that cannot stops every message.

Functions without a purpose of their own are free, for their code is not known here.
https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html
"""

import re
from collections.abc import Iterator
from typing import Any

from pack.options import texts, whole
from pack.resources import FUNCTION, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, purpose_of, variables_of
from pack.values import UNKNOWN, as_list

HANDLER = re.compile(r"[A-Za-z_][\w/]*(\.[A-Za-z_]\w*)+", re.ASCII)
DEFAULT_TIMEOUT_SECONDS = 3
DEFAULT_ARCHITECTURE = "x86_64"
PATHS = (
    ("handler",),
    ("runtime",),
    ("architectures",),
    ("timeout",),
    ("reservedConcurrentExecutions",),
    ("environment", "variables"),
)
FIX = "Correct it, or widen this rule's configuration."


@stack_rule(
    name="function-can-run",
    description="A contract's function has a handler, a runtime, an architecture, time and settings it can run with.",
    remediation=FIX,
    options={
        "minimumTimeoutSeconds": whole(
            10, "Shortest timeout; the handlers' calls to AWS may take as long.", minimum=1
        ),
        "runtimes": texts(
            ["python3.11", "python3.12", "python3.13", "python3.14"], "Runtimes that the handlers support."
        ),
        "architectures": texts(["x86_64", "arm64"], "Architectures that the handlers support."),
        "wholeNumbers": texts(
            [
                "AGGREGATE_SHARDS",
                "RECONCILE_INTERVAL_MINUTES",
                "RECONCILE_MARGIN_SECONDS",
                "RECONCILE_HORIZON_SECONDS",
            ],
            "Environment variables that hold a whole number of 1 or more, if they are set.",
        ),
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge each function whose component declares a purpose."""
    for function in stack.of(FUNCTION):
        if purpose_of(stack, function) in (None, ""):
            continue
        if problems := list(_problems(function, config)):
            yield function.finding(
                f"Function '{function.name}' must be able to run: {'; '.join(problems)}. {FIX}"
            )
        for path in PATHS:
            if UNKNOWN in as_list(function.get(*path)):
                yield function.pending(*path)
        for name in config["wholeNumbers"]:
            if variables_of(function).get(name) is UNKNOWN:
                yield function.pending("environment", "variables", name)


def _problems(function: Resource, config: Config) -> Iterator[str]:
    handler, runtime = function.get("handler"), function.get("runtime")
    if handler is not UNKNOWN and not (isinstance(handler, str) and HANDLER.fullmatch(handler)):
        yield "its handler is not a module and a function in it"
    if runtime is not UNKNOWN and runtime not in config["runtimes"]:
        yield f"its runtime is none of {', '.join(config['runtimes'])}"
    for architecture in as_list(function.get("architectures")) or [DEFAULT_ARCHITECTURE]:
        if architecture is not UNKNOWN and architecture not in config["architectures"]:
            yield f"its architecture is none of {', '.join(config['architectures'])}"
    timeout, least = function.get("timeout"), config["minimumTimeoutSeconds"]
    if timeout is not UNKNOWN and (timeout or DEFAULT_TIMEOUT_SECONDS) < least:
        yield f"its timeout is {timeout or DEFAULT_TIMEOUT_SECONDS:g} s, and its work may take {least:g} s"
    if function.get("reservedConcurrentExecutions") == 0:
        yield "it reserves no execution (reservedConcurrentExecutions of 0), so it is never invoked"
    variables = variables_of(function)
    for name in config["wholeNumbers"]:
        if name in variables and not _is_whole(variables[name]):
            yield f"its variable {name} is not a whole number of 1 or more"


def _is_whole(text: Any) -> bool:
    """Whether it is a number as the handlers read it, or not known yet."""
    return text is UNKNOWN or (
        isinstance(text, str) and text.isascii() and text.isdecimal() and bool(text.strip("0"))
    )
