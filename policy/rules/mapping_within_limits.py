"""Batches and concurrency are what Lambda accepts, so that a deployment does not fail half-way.

https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html
https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
"""

from collections.abc import Iterator

from pack.mappings import reads_queue, reads_stream
from pack.options import switch
from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, functions_of
from pack.values import UNKNOWN

RANGES = {
    ("batchSize",): (1, 10_000),
    ("maximumBatchingWindowInSeconds",): (0, 300),
    ("parallelizationFactor",): (1, 10),
    ("scalingConfig", "maximumConcurrency"): (2, 1000),
}
CONCURRENCY = ("scalingConfig", "maximumConcurrency")
BATCH_WITHOUT_WINDOW = 10
"""Largest batch that one receive can fill."""
FIX = "Set it within Lambda's limits."


@stack_rule(
    name="mapping-within-limits",
    description="Batches, windows and concurrency of mappings are what Lambda accepts.",
    remediation=FIX,
    options={
        "boundedConcurrency": switch("Whether a queue mapping needs a maximum concurrency.", default=True)
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge each mapping of a queue or a stream, and what its function has reserved."""
    for mapping in stack.of(MAPPING):
        if not (reads_queue(mapping) or reads_stream(mapping)):
            continue
        for path in RANGES:
            if mapping.get(*path) is UNKNOWN:
                yield mapping.pending(*path)
        problems = [*_outside(mapping), *_queue_problems(stack, mapping, config)]
        for problem in problems:
            yield mapping.finding(f"Mapping '{mapping.name}' {problem}. {FIX}")


def _outside(mapping: Resource) -> Iterator[str]:
    for path, (least, most) in RANGES.items():
        value = mapping.get(*path)
        if value not in (None, UNKNOWN) and not least <= value <= most:
            yield f"must have {path[-1]} from {least} to {most}; it is {value:g}"


def _queue_problems(stack: Stack, mapping: Resource, config: Config) -> Iterator[str]:
    if not reads_queue(mapping):
        return
    size, window = mapping.get("batchSize"), mapping.get("maximumBatchingWindowInSeconds")
    if UNKNOWN not in (size, window) and (size or 0) > BATCH_WITHOUT_WINDOW and not window:
        yield f"must gather more than {BATCH_WITHOUT_WINDOW} messages over a window of 1 s or more; it has none"
    most = mapping.get(*CONCURRENCY)
    if most is None and config["boundedConcurrency"]:
        yield "must have a maximumConcurrency; without it a full queue takes all of the account's concurrency"
    for function in functions_of(stack, mapping):
        reserved = function.get("reservedConcurrentExecutions")
        if UNKNOWN not in (most, reserved) and most is not None and -1 != (reserved or -1) < most:
            yield (
                f"must start at most the {reserved:g} invocations that '{function.name}' has reserved; "
                f"it starts {most:g}, and throttled deliveries count as receives"
            )
