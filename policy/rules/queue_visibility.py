"""A delivered message stays invisible until its function can no longer be working on it.

https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
"""

from pack.options import whole
from pack.queues import DEFAULT_VISIBILITY_SECONDS
from pack.resources import MAPPING, QUEUE, Config, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, functions_of
from pack.values import UNKNOWN

# What Lambda sets where the program sets nothing.
DEFAULT_TIMEOUT_SECONDS = 3
DEFAULT_WINDOW_SECONDS = 0
FIX = "Raise visibilityTimeoutSeconds, or lower the function's timeout or the batch window."


@stack_rule(
    name="queue-visibility",
    description="A queue's visibility timeout covers six function timeouts and the batch window.",
    remediation=FIX,
    options={
        "timeouts": {
            **whole(6, "How many function timeouts the visibility timeout covers.", minimum=1),
            "type": "number",
        }
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge each queue with each function that a mapping hands its messages to."""
    for mapping in stack.of(MAPPING):
        window = mapping.get("maximumBatchingWindowInSeconds") or DEFAULT_WINDOW_SECONDS
        for queue in stack.targets(mapping, "eventSourceArn", types=[QUEUE]):
            invisible = queue.get("visibilityTimeoutSeconds")
            invisible = DEFAULT_VISIBILITY_SECONDS if invisible is None else invisible
            for function in functions_of(stack, mapping):
                timeout = function.get("timeout") or DEFAULT_TIMEOUT_SECONDS
                if UNKNOWN in (window, invisible, timeout):
                    yield queue.pending("visibilityTimeoutSeconds")
                elif invisible < (least := config["timeouts"] * timeout + window):
                    yield queue.finding(
                        f"Queue '{queue.name}' must keep a delivered message invisible for {least:g} s or more "
                        f"({config['timeouts']:g} timeouts of '{function.name}' and the batch window); "
                        f"it does for {invisible:g} s. {FIX}"
                    )
