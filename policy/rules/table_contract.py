"""The tables that contract functions write have the contract's keys, and nothing in them expires.

Once an inbox marker has expired, a message delivered again would count again; once an outbox row has, an event
that was never sent is lost.
"""

from contract import CONTRACTS, TABLE_KEYS, Place
from pack.options import switch
from pack.resources import FUNCTION, TABLE, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack, purpose_of, variables_of
from pack.values import as_list, has_unknown

KEYS = " and ".join(f"{name} ({kind})" for name, kind in TABLE_KEYS.items())
FIX = f"Give it the keys {KEYS}, and leave ttl out."


@stack_rule(
    name="table-contract",
    description="Tables of contract functions have the contract's keys and no expiry.",
    remediation=FIX,
    options={
        "allowExpiry": switch(
            "Whether items may expire, by a lifetime that outlasts every delivery.", default=False
        )
    },
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge every table that the environment of a contract function names."""
    tables = {table.urn: table for table in _contract_tables(stack)}
    for table in tables.values():
        shape = ("hashKey", "rangeKey", "attributes", "ttl")
        if unknown := [name for name in shape if has_unknown(table.get(name))]:
            yield table.pending(unknown[0])
            continue
        types = {found.get("name"): found.get("type") for found in as_list(table.get("attributes"))}
        if [table.get("hashKey"), table.get("rangeKey")] != [
            *TABLE_KEYS
        ] or TABLE_KEYS.items() - types.items():
            yield table.finding(f"Table '{table.name}' must have the keys {KEYS}; it has others. {FIX}")
        if table.get("ttl", "enabled") and not config["allowExpiry"]:
            yield table.finding(
                f"Table '{table.name}' must let nothing expire; it does, and a replay after that counts again. {FIX}"
            )


def _contract_tables(stack: Stack) -> list[Resource]:
    return [
        table
        for function in stack.of(FUNCTION)
        if (contract := CONTRACTS.get(purpose_of(stack, function))) is not None
        for right in contract.rights
        if right.place is Place.TABLE
        for variable in right.variables
        if variable in variables_of(function)
        for table in stack.targets(
            function, "environment", value=variables_of(function)[variable], types=[TABLE]
        )
    ]
