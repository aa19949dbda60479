"""An alarm tells where its runbook is."""

import re
from typing import Any

from pack.options import PRODUCTION_STACKS, in_production
from pack.resources import ALARM, Config
from pack.rule import property_rule

SECTION = re.compile(r"\S#[\w-]+")


@property_rule(
    name="alarm-runbook",
    description="In production the description of an alarm names the section of a runbook.",
    remediation="Let alarmDescription name the section of a runbook, as in docs/runbook.md#dead-letters.",
    resource_type=ALARM,
    property_name="alarmDescription",
    applies=in_production,
    options=PRODUCTION_STACKS,
)
def runbook(description: Any, _config: Config) -> str:
    """In a trial stack nobody is called."""
    if SECTION.search(str(description)):
        return ""
    return "must say where it says what to do; it names no section of a runbook"
