"""A stream mapping abandons a bad record some day: unset and -1 mean never, and the shard waits behind it.

https://docs.aws.amazon.com/lambda/latest/dg/services-ddb-params.html
"""

from pack.mappings import reads_stream
from pack.options import whole
from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.values import UNKNOWN

LIMITS = {
    "maximumRetryAttempts": (0, "maximumRetries"),
    "maximumRecordAgeInSeconds": (60, "maximumAgeSeconds"),
}
"""Each property with its least value and the option that bounds it."""
FIX = "Set it in that range."


@resource_rule(
    name="mapping-finite-retries",
    description="Stream mappings bound retries and record age.",
    remediation=FIX,
    types=[MAPPING],
    options={
        "maximumRetries": whole(10_000, "Most retries of a batch.", minimum=0, maximum=10_000),
        "maximumAgeSeconds": whole(604_800, "Highest age of a record.", minimum=60, maximum=604_800),
    },
)
def judge(mapping: Resource, config: Config) -> Verdicts:
    """Judge retries and record age; 0 retries are a choice, no value is none."""
    if not reads_stream(mapping):
        return
    for name, (least, option) in LIMITS.items():
        value = mapping.get(name)
        if value is UNKNOWN:
            yield mapping.pending(name)
        elif value is None or not least <= value <= config[option]:
            found = "unset, which means without limit" if value is None else f"{value:g}"
            yield mapping.finding(
                f"Mapping '{mapping.name}' must have {name} from {least} to {config[option]:g}; it is {found}. {FIX}"
            )
