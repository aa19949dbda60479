"""The edge to Pulumi: a pure judgement becomes a policy with a name, a level and a configuration.

A judgement answers with findings and with what it could not judge. All findings are reported; what is left is
then told to the analyzer with the signal it has for values unknown at preview, which it shows as one advisory
line whatever the level of the rule. A property of a shape that no rule foresees is a finding, too: an exception
would tell its value, and hide what the rule has to say of every resource after it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from fnmatch import fnmatchcase
from typing import Any

from pulumi_policy import (
    EnforcementLevel,
    PolicyConfigSchema,
    PolicyResource,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, UnknownValueError

from pack.resources import Config, Finding, Pending, Resource, Verdicts, name_of
from pack.stack import Stack
from pack.values import plain


class Level(Enum):
    """What a finding does: stop the preview or update, or only be shown."""

    ADVISORY = EnforcementLevel.ADVISORY
    MANDATORY = EnforcementLevel.MANDATORY


Options = Mapping[str, dict[str, Any]]
"""Configuration of a rule: option name to its JSON schema, with a default and a description."""

EXEMPT: Options = {
    "exempt": {
        "type": "array",
        "items": {"type": "string"},
        "default": [],
        "description": "Names of resources this rule leaves alone; * and ? stand for any characters.",
    }
}


UNREADABLE = (TypeError, AttributeError, ValueError, KeyError, IndexError)
"""What a judgement meets in a property that has another shape than its type promises."""


class CheckedOnUpdateError(UnknownValueError):
    """Raised when a rule has told its findings and something could not be judged at preview."""

    def __init__(self, what: Sequence[str]) -> None:
        super().__init__(UNKNOWN_STRING_VALUE, [*what])
        self.message = f"checked on update, once known: {', '.join(what)}"


def resource_rule(
    *,
    name: str,
    level: Level,
    description: str,
    remediation: str,
    types: Sequence[str],
    judge: Callable[[Resource, Config], Verdicts],
    options: Options | None = None,
) -> ResourceValidationPolicy:
    """A rule on single resources of some types, judged by their inputs before they are created."""
    schema = {**EXEMPT, **(options or {})}

    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        if args.resource_type not in types:
            return
        config = _with_defaults(args.get_config(), schema)
        found = _guarded(lambda: judge(_from_inputs(args), config), args.urn, f"'{args.name}'")
        _deliver(found, config, report)

    return ResourceValidationPolicy(
        name,
        description,
        validate,
        level.value,
        PolicyConfigSchema(schema),
        remediation_steps=remediation,
    )


def stack_rule(
    *,
    name: str,
    level: Level,
    description: str,
    remediation: str,
    judge: Callable[[Stack, Config], Verdicts],
    options: Options | None = None,
) -> StackValidationPolicy:
    """A rule on resources that must agree with one another."""
    schema = {**EXEMPT, **(options or {})}

    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        config = _with_defaults(args.get_config(), schema)
        stack = Stack(map(_from_outputs, args.resources))
        _deliver(_guarded(lambda: judge(stack, config), "", "a resource of this stack"), config, report)

    return StackValidationPolicy(
        name,
        description,
        validate,
        level.value,
        PolicyConfigSchema(schema),
        remediation_steps=remediation,
    )


def _with_defaults(given: Mapping[str, Any], schema: Options) -> Config:
    return {option: given.get(option, details["default"]) for option, details in schema.items()}


def _guarded(judge: Callable[[], Verdicts], urn: str, where: str) -> Verdicts:
    """What a judgement says, and one finding for the exception that ends it; the exception may quote a value."""
    try:
        yield from judge()
    except UnknownValueError:
        raise
    except UNREADABLE:
        yield Finding(
            urn, f"could not be judged: a property of {where} has a shape that this rule cannot read."
        )


def _deliver(verdicts: Iterable[Finding | Pending], config: Config, report: ReportViolation) -> None:
    pending = []
    for verdict in verdicts:
        if isinstance(verdict, Pending):
            pending.append(verdict.what)
        elif not any(fnmatchcase(name_of(verdict.urn), pattern) for pattern in config["exempt"]):
            report(verdict.message, verdict.urn)
    if pending:
        raise CheckedOnUpdateError(pending)


def _from_inputs(args: ResourceValidationArgs) -> Resource:
    return Resource(
        type=args.resource_type,
        name=args.name,
        urn=args.urn,
        props=plain(args.props),
        protect=args.opts.protect,
        parent=args.opts.parent,
    )


def _from_outputs(resource: PolicyResource) -> Resource:
    return Resource(
        type=resource.resource_type,
        name=resource.name,
        urn=resource.urn,
        props=plain(resource.props),
        protect=resource.opts.protect,
        parent=None if resource.parent is None else resource.parent.urn,
        refers={
            name: tuple(found.urn for found in sources)
            for name, sources in resource.property_dependencies.items()
        },
    )
