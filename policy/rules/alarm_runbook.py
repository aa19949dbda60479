"""Whoever an alarm calls is told where it says what to do."""

import re

from pack.production import PRODUCTION_STACKS, in_production
from pack.resources import ALARM, Config, Resource, Verdicts
from pack.rule import Level, resource_rule
from pack.values import UNKNOWN

SECTION = re.compile(r"\S#[\w-]+")
FIX = "Let alarmDescription name the section of a runbook, as in docs/runbook.md#dead-letters."


def judge(alarm: Resource, config: Config) -> Verdicts:
    """Judge the description of an alarm in a production stack."""
    if not in_production(alarm, config):
        return
    description = alarm.get("alarmDescription")
    if description is UNKNOWN:
        yield alarm.pending("alarmDescription")
    elif not SECTION.search(str(description)):
        yield alarm.finding(
            f"Alarm '{alarm.name}' must say where it says what to do; it names no section of a runbook. {FIX}"
        )


RULE = resource_rule(
    name="alarm-runbook",
    level=Level.MANDATORY,
    description="In production the description of an alarm names the section of a runbook.",
    remediation=FIX,
    types=[ALARM],
    judge=judge,
    options=PRODUCTION_STACKS,
)
