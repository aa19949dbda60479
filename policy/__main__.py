"""Starts the policy pack: Pulumi runs this folder, and building the pack serves it until Pulumi stops it."""

from pulumi_policy import EnforcementLevel, PolicyPack

from rules import RULES

# Every rule states its own level; this one only answers for a rule that would forget.
PolicyPack(name="transactional-outbox", enforcement_level=EnforcementLevel.MANDATORY, policies=list(RULES))
