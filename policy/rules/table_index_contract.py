"""An index that a contract's function reads is there, filled, and holds what the function needs of an item.

https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.html
"""

from typing import Any

from contract import CONTRACTS, INDEX_ATTRIBUTES, INDEX_KEYS, Place
from pack.options import switch
from pack.resources import FUNCTION, TABLE, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, purpose_of, variables_of
from pack.values import UNKNOWN, as_list, has_unknown

KEYS = " and ".join(f"{name} ({kind})" for name, kind in INDEX_KEYS.items())
ATTRIBUTES = " and ".join(sorted(INDEX_ATTRIBUTES))
WRITER, WRITES_TO, SWITCH = "command", "SOURCE_TABLE", "RECONCILE_INDEX"
FIX = f"Give it an index with the keys {KEYS} that holds {ATTRIBUTES}."


@stack_rule(
    name="table-index-contract",
    description="Indexes that contract functions read have the contract's keys and attributes.",
    remediation=FIX,
    options={
        "allowWhole": switch(
            "Whether the index may hold whole items, which costs more writes and storage.", default=False
        )
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge every index that the environment of a contract function names with its table."""
    for function in stack.of(FUNCTION):
        contract = CONTRACTS.get(purpose_of(stack, function))
        variables = variables_of(function)
        for right in contract.rights if contract else ():
            if right.place is not Place.INDEX or not set(right.variables) <= variables.keys():
                continue
            table_name, index_name = (variables[name] for name in right.variables)
            if table_name is UNKNOWN:
                yield function.pending("environment", "variables", right.variables[0])
                continue
            for table in stack.targets(function, "environment", value=table_name, types=[TABLE]):
                yield from _judge(table, index_name, config)
                yield from _judge_writers(stack, table_name)


def _judge_writers(stack: Stack, table_name: Any) -> Verdicts:
    """Rows without the keys are in no index: who writes the table has to be told to give them."""
    for function in stack.of(FUNCTION):
        variables = variables_of(function)
        if purpose_of(stack, function) == WRITER and variables.get(WRITES_TO) == table_name:
            switch = variables.get(SWITCH)
            if switch is UNKNOWN:
                yield function.pending("environment", "variables", SWITCH)
            elif switch != "1":
                yield function.finding(
                    f"Function '{function.name}' must give its rows the keys of the index that is read of their table; "
                    f"it does not. Set its variable {SWITCH} to 1."
                )


def _judge(table: Resource, index_name: Any, config: Config) -> Verdicts:
    shape = (table.get("globalSecondaryIndexes"), table.get("attributes"))
    if index_name is UNKNOWN or any(map(has_unknown, shape)):
        yield table.pending("globalSecondaryIndexes")
        return
    types = {found.get("name"): found.get("type") for found in as_list(shape[1])}
    found = [each for each in as_list(shape[0]) if each.get("name") == index_name]
    problem = "there is none" if not found else _problem(found[0], types, config)
    if problem:
        yield table.finding(f"Table '{table.name}' must have the index that is read of it; {problem}. {FIX}")


def _problem(index: dict[str, Any], types: dict[str, Any], config: Config) -> str:
    if [index.get("hashKey"), index.get("rangeKey")] != [*INDEX_KEYS] or INDEX_KEYS.items() - types.items():
        return "its keys are others"
    projection = index.get("projectionType")
    if projection == "ALL":
        return "" if config["allowWhole"] else "it holds whole items, which are stored and paid for twice"
    held = set(as_list(index.get("nonKeyAttributes"))) if projection == "INCLUDE" else set()
    if lacking := INDEX_ATTRIBUTES - held:
        return f"it does not hold {' and '.join(sorted(lacking))}"
    return ""
