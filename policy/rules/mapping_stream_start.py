"""A stream mapping starts at the oldest record: with LATEST, events stored before it is active are never sent.

https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
"""

from pack.mappings import reads_stream
from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

OLDEST = "TRIM_HORIZON"
FIX = f"Set startingPosition to {OLDEST}."


def judge(mapping: Resource, _config: Config) -> Verdicts:
    """Judge where a stream mapping starts."""
    start = mapping.get("startingPosition")
    if not reads_stream(mapping):
        return
    if start is UNKNOWN:
        yield mapping.pending("startingPosition")
    elif start != OLDEST:
        yield mapping.finding(
            f"Mapping '{mapping.name}' must start at the oldest record; it starts at {start}, "
            f"and loses what was stored before it was active. {FIX}"
        )


RULE = resource_rule(
    name="mapping-stream-start",
    level=Level.MANDATORY,
    description="Stream mappings start at the oldest record.",
    remediation=FIX,
    types=[MAPPING],
    judge=judge,
)
