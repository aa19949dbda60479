"""A table whose stream is read puts new images into it: a record of keys has no event to relay.

https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_StreamSpecification.html
"""

from pack.options import texts
from pack.resources import MAPPING, TABLE, Config, Resource, Verdicts
from pack.rule import stack_rule
from pack.stack import Stack
from pack.values import UNKNOWN

FIX = "Set streamEnabled to true and streamViewType to NEW_IMAGE, and read the table's streamArn output."


@stack_rule(
    name="table-stream-new-image",
    description="A stream that a mapping reads holds new images.",
    remediation=FIX,
    options={"viewTypes": texts(["NEW_IMAGE", "NEW_AND_OLD_IMAGES"], "Accepted stream view types.")},
)
def judge(stack: Stack, config: Config) -> Verdicts:
    """Judge every table of the stack that a mapping reads, by its present stream or by one it no longer has."""
    for mapping in stack.of(MAPPING):
        source = mapping.get("eventSourceArn")
        for table in stack.targets(mapping, "eventSourceArn", types=[TABLE]):
            yield from _judge_stream(table, config)
        for table in stack.of(TABLE):
            if isinstance(source, str) and source.startswith(f"{table.get('arn')}/stream/"):
                if table.get("streamEnabled") is False:
                    yield from _judge_stream(table, config)
                elif table.get("streamArn") not in (source, UNKNOWN):
                    yield mapping.finding(
                        f"Mapping '{mapping.name}' must read the present stream of table '{table.name}'; it reads "
                        f"one that the table no longer has. {FIX}"
                    )


def _judge_stream(table: Resource, config: Config) -> Verdicts:
    enabled, view = table.get("streamEnabled"), table.get("streamViewType")
    if UNKNOWN in (enabled, view):
        yield table.pending("streamViewType")
    elif enabled is not True or view not in config["viewTypes"]:
        found = f"holds {view}" if enabled else "is off"
        yield table.finding(
            f"Table '{table.name}' is read by a mapping and must stream new images; its stream {found}. {FIX}"
        )
