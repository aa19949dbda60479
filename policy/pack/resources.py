"""A resource as the rules see it, what they answer, and the types they know."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pack.values import UNKNOWN

FUNCTION = "aws:lambda/function:Function"
MAPPING = "aws:lambda/eventSourceMapping:EventSourceMapping"
SCHEDULE = "aws:cloudwatch/eventRule:EventRule"
TARGET = "aws:cloudwatch/eventTarget:EventTarget"
PERMISSION = "aws:lambda/permission:Permission"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
DASHBOARD = "aws:cloudwatch/dashboard:Dashboard"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
QUEUE = "aws:sqs/queue:Queue"
QUEUE_POLICY = "aws:sqs/queuePolicy:QueuePolicy"
REDRIVE_POLICY = "aws:sqs/redrivePolicy:RedrivePolicy"
TOPIC = "aws:sns/topic:Topic"
TOPIC_POLICY = "aws:sns/topicPolicy:TopicPolicy"
TABLE = "aws:dynamodb/table:Table"
TABLE_POLICY = "aws:dynamodb/resourcePolicy:ResourcePolicy"
ROLE = "aws:iam/role:Role"
ROLE_POLICY = "aws:iam/rolePolicy:RolePolicy"
USER_POLICY = "aws:iam/userPolicy:UserPolicy"
GROUP_POLICY = "aws:iam/groupPolicy:GroupPolicy"
CUSTOMER_POLICY = "aws:iam/policy:Policy"
ROLE_ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
GROUP_STYLE_ATTACHMENT = "aws:iam/policyAttachment:PolicyAttachment"
EXCLUSIVE_ATTACHMENTS = "aws:iam/rolePolicyAttachmentsExclusive:RolePolicyAttachmentsExclusive"


@dataclass(frozen=True)
class Finding:
    """A resource that breaks a rule; the message says what must hold, what was found and how to fix it."""

    urn: str
    message: str


@dataclass(frozen=True)
class Pending:
    """Something that cannot be judged before the update knows it."""

    what: str


Verdicts = Iterator[Finding | Pending]
Config = Mapping[str, Any]


@dataclass(frozen=True)
class Resource:
    """A resource with its properties as plain values: its inputs in a resource rule, its outputs in a stack rule.

    `refers` holds, by property, the URNs of the resources that the property was made from. It is known even
    where the value is not; resource rules are not told it.
    """

    type: str
    name: str
    urn: str
    props: Mapping[str, Any]
    protect: bool = False
    parent: str | None = None
    refers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def get(self, *path: str) -> Any:
        """The value at a path of property names: `None` where there is none, `UNKNOWN` where it is not known."""
        value: Any = self.props
        for name in path:
            if value is UNKNOWN:
                return UNKNOWN
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    @property
    def stack(self) -> str:
        """The name of the stack the resource belongs to."""
        return self.urn.split("::")[0].rpartition(":")[2]

    def finding(self, message: str) -> Finding:
        """This resource breaks a rule."""
        return Finding(self.urn, message)

    def pending(self, *path: str) -> Pending:
        """The value at a path cannot be judged yet."""
        return Pending(".".join((self.name, *path)))


def name_of(urn: str) -> str:
    """The name of the resource with this URN."""
    return urn.rpartition("::")[2]
