"""Runs rules the way the analyzer does: properties behind its wrappers, unknown values as its signal."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pulumi_policy import (
    Policy,
    PolicyCustomTimeouts,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError, unknown_checking_proxy

from rules import RULES
from tests.policy.worlds import Made, World

LEAST = "lambda-role-least-privilege"
BROAD = "iam-no-broad-statement"
BY_NAME: dict[str, Policy] = {rule.name: rule for rule in RULES}


@dataclass(frozen=True)
class Report:
    """A line that an operator is shown: a finding, or the one line on what could not be judged."""

    rule: str
    resource: str
    message: str


@dataclass(frozen=True)
class Judged:
    """Everything that rules say about a world."""

    findings: list[Report]
    pending: list[Report]

    @property
    def rules(self) -> list[str]:
        return sorted(report.rule for report in self.findings)


def judge(world: World, *rules: str, config: Mapping[str, Any] | None = None) -> Judged:
    """Judge a world by some rules, or by all; `config` is given to each of them."""
    judged = Judged([], [])
    for name in rules or BY_NAME:
        rule = BY_NAME[name]
        if isinstance(rule, ResourceValidationPolicy):
            for made in world:
                _run(rule, _resource_args(made, config), made.name, judged)
        else:
            _run(rule, StackValidationArgs(_policy_resources(world), config), "", judged)
    return judged


def _run(rule: Policy, args: Any, resource: str, judged: Judged) -> None:
    def report(message: str, urn: str | None = None) -> None:
        name = resource or (urn or "").rpartition("::")[2]
        judged.findings.append(Report(rule.name, name, message))

    assert isinstance(rule, ResourceValidationPolicy | StackValidationPolicy)
    try:
        rule.validate(args, report)
    except UnknownValueError as error:
        judged.pending.append(Report(rule.name, resource, error.message))


def _resource_args(made: Made, config: Mapping[str, Any] | None) -> ResourceValidationArgs:
    return ResourceValidationArgs(
        made.type, unknown_checking_proxy(made.inputs), made.urn, made.name, _options(made), None, config
    )


def _policy_resources(world: World) -> list[PolicyResource]:
    found = {
        made.urn: PolicyResource(
            made.type,
            unknown_checking_proxy(made.outputs),
            made.urn,
            made.name,
            _options(made),
            None,
            None,
            [],
            {},
        )
        for made in world
    }
    for made in world:
        resource = found[made.urn]
        resource.parent = found.get(made.parent or "")
        resource.property_dependencies = {name: _known(found, urns) for name, urns in made.refers.items()}
    return list(found.values())


def _known(found: Mapping[str, PolicyResource], urns: Iterable[str]) -> list[PolicyResource]:
    return [found[urn] for urn in urns if urn in found]


def _options(made: Made) -> PolicyResourceOptions:
    return PolicyResourceOptions(made.protect, [], None, [], PolicyCustomTimeouts(0, 0, 0), [], made.parent)
