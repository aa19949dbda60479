"""The edge to Pulumi: a pure judgement becomes a policy with a name, a level and a configuration.

A judgement answers with findings and with what it could not judge. All findings are reported; what is left is
then told to the analyzer with the signal it has for values unknown at preview, which it shows as one advisory
line whatever the level of the rule. A property of a shape that no rule foresees is a finding, too: an exception
would tell its value, and leave every resource after it unjudged.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
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

from pack.options import EXEMPT, Options
from pack.resources import ALARM, MAPPING, QUEUE, TABLE, Config, Finding, Pending, Resource, Verdicts, name_of
from pack.stack import Stack
from pack.values import UNKNOWN, plain

NO_OPTIONS: Options = {}
NOUNS = {ALARM: "Alarm", MAPPING: "Mapping", QUEUE: "Queue", TABLE: "Table"}
UNREADABLE = (TypeError, AttributeError, ValueError, KeyError, IndexError)
"""Errors that a judgement meets in a property that has another shape than its type promises."""


class CheckedOnUpdateError(UnknownValueError):
    """Raised when a rule has told its findings and something could not be judged at preview."""

    def __init__(self, what: Sequence[str]) -> None:
        super().__init__(UNKNOWN_STRING_VALUE, [*what])
        self.message = f"checked on update, once known: {', '.join(what)}"


def resource_rule(
    *,
    name: str,
    description: str,
    remediation: str,
    types: Sequence[str],
    options: Options = NO_OPTIONS,
    level: EnforcementLevel = EnforcementLevel.MANDATORY,
) -> Callable[[Callable[[Resource, Config], Verdicts]], ResourceValidationPolicy]:
    """Make a judgement a rule on single resources of some types, by their inputs before they are created."""
    schema = {**EXEMPT, **options}

    def rule(judge: Callable[[Resource, Config], Verdicts]) -> ResourceValidationPolicy:
        def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
            if args.resource_type in types:
                config = _with_defaults(args.get_config(), schema)
                found = _guarded(lambda: judge(_from_inputs(args), config), args.urn, f"'{args.name}'")
                _deliver(found, config, report)

        return ResourceValidationPolicy(
            name,
            description,
            validate,
            level,
            PolicyConfigSchema(schema),
            remediation_steps=remediation,
        )

    return rule


def stack_rule(
    *,
    name: str,
    description: str,
    remediation: str,
    options: Options = NO_OPTIONS,
) -> Callable[[Callable[[Stack, Config], Verdicts]], StackValidationPolicy]:
    """Make a judgement a mandatory rule on resources that must agree with one another."""
    schema = {**EXEMPT, **options}

    def rule(judge: Callable[[Stack, Config], Verdicts]) -> StackValidationPolicy:
        def validate(args: StackValidationArgs, report: ReportViolation) -> None:
            config = _with_defaults(args.get_config(), schema)
            stack = Stack(map(_from_outputs, args.resources))
            _deliver(_guarded(lambda: judge(stack, config), "", "a resource of this stack"), config, report)

        return StackValidationPolicy(
            name,
            description,
            validate,
            EnforcementLevel.MANDATORY,
            PolicyConfigSchema(schema),
            remediation_steps=remediation,
        )

    return rule


def property_rule(
    *,
    name: str,
    description: str,
    remediation: str,
    resource_type: str,
    property_name: str,
    options: Options = NO_OPTIONS,
    applies: Callable[[Resource, Config], bool] = lambda _resource, _config: True,
) -> Callable[[Callable[[Any, Config], str]], ResourceValidationPolicy]:
    """Make a sentence on a property's value a mandatory rule; no text says that the value is right.

    The sentence goes on after the resource's type and name, and before the remediation.
    """

    def rule(wrong: Callable[[Any, Config], str]) -> ResourceValidationPolicy:
        def judge(resource: Resource, config: Config) -> Verdicts:
            value = resource.get(property_name)
            if not applies(resource, config):
                return
            if value is UNKNOWN:
                yield resource.pending(property_name)
            elif said := wrong(value, config):
                yield resource.finding(f"{NOUNS[resource_type]} '{resource.name}' {said}. {remediation}")

        return resource_rule(
            name=name,
            description=description,
            remediation=remediation,
            types=[resource_type],
            options=options,
        )(judge)

    return rule


def _with_defaults(given: Mapping[str, Any], schema: Options) -> Config:
    return {option: given.get(option, details["default"]) for option, details in schema.items()}


def _guarded(judge: Callable[[], Verdicts], urn: str, where: str) -> Verdicts:
    """Verdicts of a judgement, and one finding for the exception that ends it; the exception may quote a value."""
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
