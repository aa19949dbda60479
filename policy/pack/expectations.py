"""Rights that a contract asks of one function: places turned into the ARNs and resources of its stack."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from contract import Contract, Place, Right
from pack.breadth import is_wildcard
from pack.resources import QUEUE, TABLE, Resource
from pack.stack import Stack, log_groups_of, mappings_of, variables_of
from pack.values import UNKNOWN, Unknown

EVERYTHING = "*"
SHORTEST_ARN_COLONS = 5


@dataclass(frozen=True)
class Spot:
    """One resource that a right applies to.

    `arn` may be unknown; for a resource of another stack it holds `*` where its name or URL does not tell.
    `where` is for messages, `resource` the resource if it is in this stack.
    """

    arn: str | Unknown
    where: str
    resource: Resource | None = None
    condition: Any = None

    def may_be(self, granted: str | Unknown) -> bool:
        """Whether a granted resource is this one, or could turn out to be."""
        return UNKNOWN in (self.arn, granted) or self.is_exactly(granted)

    def is_exactly(self, granted: str | Unknown) -> bool:
        """Whether a granted resource is known to be this one."""
        if self.arn is UNKNOWN or granted is UNKNOWN or self.arn == granted:
            return self.arn == granted != UNKNOWN
        return not is_wildcard(granted.removesuffix(":*")) and fnmatchcase(granted, self.arn)


@dataclass(frozen=True)
class Expected:
    """One action that the function may and must have in one spot."""

    sid: str
    action: str
    spot: Spot


class ContractError(ValueError):
    """Raised when a function lacks what its contract builds on, such as a mapping or a variable."""


def expectations(stack: Stack, function: Resource, contract: Contract) -> list[Expected]:
    """Every action in every spot that the contract asks for.

    Raises:
        ContractError: the function has no such environment variable, mapping, source or log group.
    """
    return [
        Expected(right.sid, action, spot)
        for right in contract.rights
        for spot in _spots(stack, function, right)
        for action in right.actions
    ]


def _spots(stack: Stack, function: Resource, right: Right) -> list[Spot]:
    spots = list(_FINDERS[right.place](stack, function, right))
    if not spots and right.place is not Place.FAILURES:
        needs = {
            Place.TABLE: f"the variable {' or '.join(right.variables)} in its environment",
            Place.INDEX: f"the variables {' and '.join(right.variables)} in its environment",
            Place.QUEUE: f"the variable {' or '.join(right.variables)} in its environment",
            Place.LOGS: "a log group in its logging configuration",
            Place.RESOURCE: f"the resource {' and '.join(right.resources)} in its stack",
        }
        raise ContractError(needs.get(right.place, "an event source mapping that invokes it"))
    return spots


def _tables(stack: Stack, function: Resource, right: Right) -> Iterator[Spot]:
    for variable, value in _variables(function, right):
        found = stack.targets(function, "environment", value=value, types=[TABLE])
        for table in found:
            yield Spot(_arn_of(table), f"the table in {variable}", table)
        if not found:
            yield Spot(_elsewhere("dynamodb", f"*:table/{value}", value), f"the table in {variable}")


def _indexes(stack: Stack, function: Resource, right: Right) -> Iterator[Spot]:
    """The index under the ARN of its table; both have to be named."""
    variables = dict(_variables(function, right))
    table_variable, index_variable = right.variables
    if UNKNOWN in variables.values() and len(variables) < len(right.variables):
        variables = dict.fromkeys(right.variables, UNKNOWN)
    if variables.keys() != set(right.variables):
        return
    index = variables[index_variable]
    for table in _tables(stack, function, replace(right, variables=(table_variable,))):
        arn = UNKNOWN if UNKNOWN in (table.arn, index) else f"{table.arn}/index/{index}"
        yield Spot(arn, f"the index in {index_variable}", table.resource)


def _queues(stack: Stack, function: Resource, right: Right) -> Iterator[Spot]:
    for variable, value in _variables(function, right):
        for url in [UNKNOWN] if value is UNKNOWN else str(value).split():
            found = stack.targets(function, "environment", value=url, types=[QUEUE])
            for queue in found:
                yield Spot(_arn_of(queue), f"the queue in {variable}", queue)
            if not found:
                account_and_name = ":".join(str(url).split("/")[-2:])
                yield Spot(_elsewhere("sqs", account_and_name, url), f"the queue in {variable}")


def _sources(stack: Stack, function: Resource, _right: Right) -> Iterator[Spot]:
    for mapping in mappings_of(stack, function):
        arn = mapping.get("eventSourceArn")
        if arn is not UNKNOWN and not (isinstance(arn, str) and arn.count(":") >= SHORTEST_ARN_COLONS):
            raise ContractError(f"the ARN of a source in its mapping '{mapping.name}'")
        found = stack.targets(mapping, "eventSourceArn", types=[TABLE, QUEUE])
        yield Spot(arn, "the source of its mapping", next(iter(found), None))


def _regions(stack: Stack, function: Resource, right: Right) -> Iterator[Spot]:
    for source in _sources(stack, function, right):
        region = UNKNOWN if source.arn is UNKNOWN else source.arn.split(":")[3]
        condition = {"StringEquals": {"aws:RequestedRegion": region}}
        yield Spot(EVERYTHING, "* in the region of its source", condition=condition)


def _failures(stack: Stack, function: Resource, _right: Right) -> Iterator[Spot]:
    path = ("destinationConfig", "onFailure", "destinationArn")
    for mapping in mappings_of(stack, function):
        if arn := mapping.get(*path):
            found = stack.targets(mapping, *path, types=[QUEUE])
            yield Spot(arn, "its mapping's failure destination", next(iter(found), None))


def _logs(stack: Stack, function: Resource, _right: Right) -> Iterator[Spot]:
    for group in log_groups_of(stack, function):
        arn = _arn_of(group)
        streams = UNKNOWN if arn is UNKNOWN else f"{arn.removesuffix(':*')}:*"
        yield Spot(streams, "the streams of its log group", group)


def _resources(stack: Stack, _function: Resource, right: Right) -> Iterator[Spot]:
    for named in right.resources:
        name, slash, rest = named.partition("/")
        for found in stack.resources:
            if found.name == name and found.type.startswith("aws:"):
                arn = _arn_of(found)
                yield Spot(arn if arn is UNKNOWN else f"{arn}{slash}{rest}", f"'{named}'", found)


def _arns(_stack: Stack, _function: Resource, right: Right) -> Iterator[Spot]:
    for arn in right.resources:
        yield Spot(arn, f"'{arn}'")


_FINDERS = {
    Place.TABLE: _tables,
    Place.INDEX: _indexes,
    Place.QUEUE: _queues,
    Place.SOURCE: _sources,
    Place.FAILURES: _failures,
    Place.LOGS: _logs,
    Place.REGION: _regions,
    Place.RESOURCE: _resources,
    Place.ARN: _arns,
}


def _variables(function: Resource, right: Right) -> list[tuple[str, Any]]:
    if function.get("environment", "variables") is UNKNOWN:
        return [(right.variables[0], UNKNOWN)]
    variables = variables_of(function)
    return [(name, variables[name]) for name in right.variables if variables.get(name)]


def _arn_of(resource: Resource) -> str | Unknown:
    arn = resource.get("arn")
    return arn if isinstance(arn, str) and arn else UNKNOWN


def _elsewhere(service: str, end: str, value: Any) -> str | Unknown:
    """The ARN of a resource outside this stack, as far as its name or URL tells it."""
    return UNKNOWN if value is UNKNOWN else f"arn:*:{service}:*:{end}"
