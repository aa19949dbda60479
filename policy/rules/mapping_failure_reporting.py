"""A mapping heeds the failures that its handler reports; without this every reported failure counts as success.

https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

from pack.mappings import reads_queue, reads_stream
from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

REPORT_FAILURES = "ReportBatchItemFailures"
FIX = f"Set functionResponseTypes to [{REPORT_FAILURES}]."


def judge(mapping: Resource, _config: Config) -> Verdicts:
    """Judge the mappings of queues and streams."""
    types = mapping.get("functionResponseTypes")
    if not (reads_queue(mapping) or reads_stream(mapping)):
        return
    if types is UNKNOWN:
        yield mapping.pending("functionResponseTypes")
    elif REPORT_FAILURES not in (types or []):
        yield mapping.finding(
            f"Mapping '{mapping.name}' must heed reported failures; it ignores them, and messages that failed "
            f"are lost. {FIX}"
        )


RULE = resource_rule(
    name="mapping-failure-reporting",
    level=Level.MANDATORY,
    description="Mappings of queues and streams heed the failures a handler reports.",
    remediation=FIX,
    types=[MAPPING],
    judge=judge,
)
