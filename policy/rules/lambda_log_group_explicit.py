"""Every function writes to a log group of this stack, and no role may create one.

Without it Lambda makes a group of its own, which nobody set a retention for.
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-loggroups.html
"""

from fnmatch import fnmatchcase

from pack.documents import DocumentError, read_document
from pack.resources import FUNCTION, ROLE, Config, Verdicts
from pack.roles import held_documents
from pack.rule import stack_rule
from pack.stack import Stack, log_groups_of
from pack.values import UNKNOWN

CREATE_LOG_GROUP = "logs:createloggroup"
FIX = "Declare a log group and name it in the function's loggingConfig.logGroup."


@stack_rule(
    name="lambda-log-group-explicit",
    description="Functions log to log groups of their stack, and no role can create others.",
    remediation=FIX,
)
def judge(stack: Stack, _config: Config) -> Verdicts:
    """Judge where functions log, and which roles could make a group."""
    for function in stack.of(FUNCTION):
        if not log_groups_of(stack, function):
            found = "one from elsewhere" if function.get("loggingConfig", "logGroup") else "none"
            yield function.finding(
                f"Function '{function.name}' must log to a log group of this stack; it names {found}, "
                f"so how long its logs are kept is not decided here. {FIX}"
            )
    for role in stack.of(ROLE):
        for held in held_documents(stack, role):
            if held.document is UNKNOWN:
                yield held.owner.pending(held.property_name)
            elif label := _creates_groups(held.document):
                yield held.owner.finding(
                    f"Role '{role.name}' must not create log groups, which would be kept for ever; "
                    f"{label} in '{held.owner.name}' allows it. Remove logs:CreateLogGroup."
                )


def _creates_groups(document: object) -> str | None:
    """The statement that allows it; unreadable documents are reported by iam-no-broad-statement."""
    try:
        statements = read_document(document)
    except DocumentError:
        return None
    for statement in statements:
        if statement.allows and any(
            fnmatchcase(CREATE_LOG_GROUP, str(found).lower()) for found in statement.actions
        ):
            return statement.label
    return None
