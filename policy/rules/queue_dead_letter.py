"""A message that cannot be handled ends in a dead-letter queue, and stays there long enough to be handled.

A dead-letter message keeps its original send time, so its queue must keep messages longer than their first queue.
Deliveries that Lambda throttles count as receives, so a low limit dead-letters what no handler ever saw.
https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-dead-letter-queues.html
"""

from typing import Any

from pack.options import whole
from pack.queues import DEFAULT_RETENTION_SECONDS, dead_letter_queues_of, redrive_of, taking_failures
from pack.resources import QUEUE, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack
from pack.values import UNKNOWN

FIX = "Give the queue a redrivePolicy to a queue of this stack that keeps messages longer."


@stack_rule(
    name="queue-dead-letter",
    description="Queues have a dead-letter queue that keeps messages longer, after enough receives.",
    remediation=FIX,
    options={
        "minimumReceives": whole(
            5, "Fewest receives before a message goes to the dead-letter queue.", minimum=1
        ),
        "minimumExtraSeconds": whole(
            1, "How much longer dead-letter messages are kept than messages.", minimum=1
        ),
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge every queue that does not itself take failures."""
    takers = taking_failures(stack)
    for queue in stack.of(QUEUE):
        if queue.urn in takers:
            continue
        holder, redrive = redrive_of(stack, queue)
        dead_letters = dead_letter_queues_of(stack, holder, redrive)
        if not dead_letters or dead_letters == [queue]:
            yield queue.finding(
                f"Queue '{queue.name}' must have a dead-letter queue of this stack; it has none, "
                f"so a message that always fails is lost when its time is over. {FIX}"
            )
            continue
        yield from _judge_retention(queue, dead_letters[0], int(config["minimumExtraSeconds"]))
        if redrive is UNKNOWN:
            yield holder.pending("redrivePolicy")
        elif (receives := _whole(redrive.get("maxReceiveCount"))) < config["minimumReceives"]:
            yield queue.finding(
                f"Queue '{queue.name}' must allow {config['minimumReceives']:g} receives or more; it allows "
                f"{receives}, and throttled deliveries count too. Raise maxReceiveCount."
            )


def _judge_retention(queue: Resource, dead_letters: Resource, extra_seconds: int) -> Verdicts:
    path = "messageRetentionSeconds"
    kept, dead_kept = (found.get(path) or DEFAULT_RETENTION_SECONDS for found in (queue, dead_letters))
    if UNKNOWN in (kept, dead_kept):
        yield queue.pending(path)
    elif dead_kept < kept + extra_seconds:
        yield dead_letters.finding(
            f"Queue '{dead_letters.name}' must keep dead-letter messages at least {extra_seconds} s longer than queue "
            f"'{queue.name}' keeps messages ({kept:g} s); it keeps them {dead_kept:g} s, and a dead-letter "
            "message keeps its first send time. Lengthen the one or shorten the other."
        )


def _whole(count: Any) -> int:
    """A count that JSON may hold as number or as text; 0 for anything else."""
    return int(count) if str(count).isdecimal() else 0
