"""Settings of each event source mapping on its own.

https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
"""

from typing import Any

from pack.mappings import reads_queue, reads_stream
from pack.resources import MAPPING, Config
from pack.rule import property_rule

REPORT_FAILURES = "ReportBatchItemFailures"
OLDEST = "TRIM_HORIZON"


@property_rule(
    name="mapping-enabled",
    description="Event source mappings are switched on.",
    remediation="Set enabled to true, and pause a mapping by hand, where it is seen.",
    resource_type=MAPPING,
    property_name="enabled",
)
def enabled(is_enabled: Any, _config: Config) -> str:
    """While a mapping is off a stream forgets after a day; Lambda switches it on by itself."""
    return "must be enabled; it is off and nothing is delivered" if is_enabled is False else ""


@property_rule(
    name="mapping-failure-reporting",
    description="Mappings of queues and streams heed the failures a handler reports.",
    remediation=f"Set functionResponseTypes to [{REPORT_FAILURES}].",
    resource_type=MAPPING,
    property_name="functionResponseTypes",
    applies=lambda mapping, _: reads_queue(mapping) or reads_stream(mapping),
)
def failure_reporting(types: Any, _config: Config) -> str:
    """Without it every reported failure counts as success."""
    if REPORT_FAILURES in (types or []):
        return ""
    return "must heed reported failures; it ignores them, and messages that failed are lost"


@property_rule(
    name="mapping-stream-start",
    description="Stream mappings start at the oldest record.",
    remediation=f"Set startingPosition to {OLDEST}.",
    resource_type=MAPPING,
    property_name="startingPosition",
    applies=lambda mapping, _: reads_stream(mapping),
)
def stream_start(start: Any, _config: Config) -> str:
    """With LATEST, events stored before the mapping is active are never sent."""
    if start == OLDEST:
        return ""
    return f"must start at the oldest record; it starts at {start}, and loses what was stored before it was active"
