"""The reconciler's schedule and index, each moved off its value."""

from typing import Any

from pack.resources import FUNCTION, PERMISSION, SCHEDULE, TABLE, TARGET
from tests.policy.cases_of_settings import INDEX
from tests.policy.changes import put, remove
from tests.policy.judging import LEAST
from tests.policy.mutated_documents import Found
from tests.policy.worlds import World

STARTS = "schedule-starts-function"
INDEXED = "table-index-contract"
VALUES: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    (SCHEDULE, "state", ("DISABLED", "ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS")),
    (SCHEDULE, "scheduleExpression", (None, "", "rate(0 minutes)", "rate(61 minutes)", "rate(1 day)", 5)),
    (TARGET, "arn", (None, "elsewhere")),
    (TARGET, "rule", (None, "elsewhere")),
    (PERMISSION, "action", (None, "lambda:GetFunction")),
    (PERMISSION, "function", (None, "elsewhere")),
    (PERMISSION, "principal", (None, "sns.amazonaws.com")),
    (PERMISSION, "sourceArn", (None, "elsewhere")),
)
INDEXES: tuple[Any, ...] = (
    *(None, [], [INDEX | {"name": "elsewhere"}], [INDEX | {"hashKey": "PK"}], [INDEX | {"rangeKey": None}]),
    [INDEX | {"projectionType": "KEYS_ONLY"}],
    [INDEX | {"projectionType": "ALL"}],
    [INDEX | {"nonKeyAttributes": ["expires_at"]}],
)


def schedules(world: World) -> Found:
    for type_, name, values in VALUES:
        for made in world.of(type_):
            for value in values:
                yield f"{made.name}.{name} = {value}", STARTS, put(made.name, (name,), value)
    for type_ in (SCHEDULE, TARGET, PERMISSION):
        for made in world.of(type_):
            yield f"{made.name} removed", STARTS, remove(made.name)
    for table in world.of(TABLE):
        if "globalSecondaryIndexes" in table.inputs:
            for value in INDEXES:
                change = put(table.name, ("globalSecondaryIndexes",), value)
                yield f"{table.name} has the indexes {value}", INDEXED, change
    for function in world.of(FUNCTION):
        for variable, values, rule in (
            ("RECONCILE_INDEX", (None, "0", "yes"), INDEXED),
            ("SOURCE_INDEX", (None, "elsewhere"), LEAST),
        ):
            if variable in function.inputs["environment"]["variables"]:
                for value in values:
                    change = put(function.name, ("environment", "variables", variable), value)
                    yield f"{function.name}.{variable} = {value}", rule, change
