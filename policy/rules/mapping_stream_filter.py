"""A stream mapping lets through what its function is for, and a queue mapping of a contract's function everything.

A filtered record is gone for the mapping, so a filter that is wrong loses events: a function with a contract has
exactly the contract's filter. What a filter leaves out of a queue is deleted from it.
https://docs.aws.amazon.com/lambda/latest/dg/with-ddb-filtering.html
https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html
"""

import json
from typing import Any

from contract import CONTRACTS
from pack.mappings import reads_stream
from pack.resources import MAPPING, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, functions_of, purpose_of
from pack.values import has_unknown

FIX = "Set filterCriteria to one filter with that pattern, as JSON text whose values are lists."


@stack_rule(
    name="mapping-stream-filter",
    description="Stream mappings filter as the contract says; queue mappings of a contract's function do not filter.",
    remediation=FIX,
)
def judge(stack: Stack, _config: Config) -> Verdicts:
    """Judge the filter of every mapping."""
    yield from _queue_filters(stack)
    for mapping in filter(reads_stream, stack.of(MAPPING)):
        filters = mapping.get("filterCriteria", "filters")
        wanted = _wanted(stack, mapping)
        if has_unknown(filters):
            yield mapping.pending("filterCriteria")
            continue
        patterns = [_parsed(found.get("pattern")) for found in filters or []]
        if not patterns or not all(map(_matches_something, patterns)):
            yield mapping.finding(
                f"Mapping '{mapping.name}' must filter its stream; it has no filter that can match. {FIX}"
            )
        elif wanted is not None and patterns != [wanted]:
            yield mapping.finding(
                f"Mapping '{mapping.name}' must let through exactly what its function's contract says, "
                f"{json.dumps(wanted)}; its filter differs. {FIX}"
            )


def _queue_filters(stack: Stack) -> Verdicts:
    for mapping in stack.of(MAPPING):
        if reads_stream(mapping) or not any(
            purpose_of(stack, function) in CONTRACTS for function in functions_of(stack, mapping)
        ):
            continue
        filters = mapping.get("filterCriteria", "filters")
        if has_unknown(filters) and not isinstance(filters, list):
            yield mapping.pending("filterCriteria")
        elif filters:
            yield mapping.finding(
                f"Mapping '{mapping.name}' must not filter its queue: messages that the filter leaves out are deleted, "
                "and their events are never applied. Take filterCriteria out, and name the types that the consumer "
                "gets as `event_types`."
            )


def _wanted(stack: Stack, mapping: Resource) -> Any:
    for function in functions_of(stack, mapping):
        contract = CONTRACTS.get(purpose_of(stack, function))
        if contract is not None and contract.stream_filter is not None:
            return json.loads(contract.stream_filter)
    return None


def _parsed(pattern: Any) -> Any:
    """The pattern, or `None` where it is no JSON text."""
    try:
        return json.loads(pattern) if isinstance(pattern, str) else None
    except (ValueError, RecursionError):
        return None


def _matches_something(pattern: Any) -> bool:
    """Whether a pattern is an object that ends in lists of values, the only shape that Lambda matches."""
    if isinstance(pattern, dict):
        return bool(pattern) and all(
            _matches_something(value) if isinstance(value, dict) else isinstance(value, list) and bool(value)
            for value in pattern.values()
        )
    return False
