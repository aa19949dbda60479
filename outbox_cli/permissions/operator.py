"""The operator's own IAM document: what deploying a stack and every verb on it take, on its resources alone.

What the AWS provider of Pulumi calls for a type is what its Terraform resource calls to create, read, change, tag
and delete one. Resources are named by prefix, as Pulumi ends each name with characters of its own choice.
https://docs.aws.amazon.com/service-authorization/latest/reference/reference_policies_actions-resources-contextkeys.html
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from outbox.items import ROW_PREFIX
from outbox_cli.errors import OperatorError

POLICY_LANGUAGE_VERSION = "2012-10-17"
# Of a managed policy, white space not counted; an inline policy of a role may have 10,240.
# https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html
CHARACTERS_MOST = 6_144
NAME_END = "-*"

Document = dict[str, Any]
TAGS = ("ListTagsForResource", "TagResource", "UntagResource")


@dataclass(frozen=True)
class Place:
    """Where a stack is."""

    partition: str
    region: str
    account: str

    @classmethod
    def of(cls, arn: str) -> "Place":
        """The place that an ARN names."""
        _, partition, _, region, account, *_ = arn.split(":", 5)
        return cls(partition, region, account)

    def arn(self, service: str, resource: str, *, is_global: bool = False) -> str:
        """The ARN of a resource here."""
        return f"arn:{self.partition}:{service}:{'' if is_global else self.region}:{self.account}:{resource}"


@dataclass(frozen=True)
class ManagedType:
    """A resource type: the form of its ARN, and the actions on such a resource."""

    service: str
    resource: str
    actions: tuple[str, ...]
    is_global: bool = False


@dataclass(frozen=True)
class Planned:
    """A resource that a stack has, by type token and logical name."""

    pulumi_type: str
    name: str


TABLE = "aws:dynamodb/table:Table"
QUEUE = "aws:sqs/queue:Queue"
ROLE = "aws:iam/role:Role"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
FUNCTION = "aws:lambda/function:Function"
ALARM = "aws:cloudwatch/metricAlarm:MetricAlarm"
RULE = "aws:cloudwatch/eventRule:EventRule"

_TABLE_ACTIONS = (
    *("CreateTable", "DescribeTable", "UpdateTable", "DeleteTable"),
    *("DescribeContinuousBackups", "UpdateContinuousBackups", "DescribeTimeToLive", "UpdateTimeToLive"),
    *("ListTagsOfResource", "TagResource", "UntagResource"),
    *("GetItem", "BatchGetItem", "Query", "Scan"),  # what the verbs read
)
_QUEUE_ACTIONS = (
    *("CreateQueue", "GetQueueUrl", "GetQueueAttributes", "SetQueueAttributes", "DeleteQueue"),
    *("ListQueueTags", "TagQueue", "UntagQueue"),
)
_ROLE_ACTIONS = (
    *("CreateRole", "GetRole", "UpdateRole", "UpdateAssumeRolePolicy", "DeleteRole"),
    *("ListRolePolicies", "ListAttachedRolePolicies", "ListInstanceProfilesForRole", "TagRole", "UntagRole"),
)
_LOG_GROUP_ACTIONS = (
    *("CreateLogGroup", "PutRetentionPolicy", "DeleteRetentionPolicy", "DeleteLogGroup"),
    *TAGS,
    "FilterLogEvents",  # what the verbs read
)
_FUNCTION_ACTIONS = (
    *("CreateFunction", "GetFunction", "GetFunctionConfiguration", "GetFunctionCodeSigningConfig"),
    *("ListVersionsByFunction", "UpdateFunctionCode", "UpdateFunctionConfiguration", "DeleteFunction"),
    *("GetFunctionConcurrency", "PutFunctionConcurrency", "DeleteFunctionConcurrency"),
    *("ListTags", "TagResource", "UntagResource"),
)
MANAGED = {
    TABLE: ManagedType("dynamodb", "table/", _TABLE_ACTIONS),
    QUEUE: ManagedType("sqs", "", _QUEUE_ACTIONS),
    ROLE: ManagedType("iam", "role/", _ROLE_ACTIONS, is_global=True),
    LOG_GROUP: ManagedType("logs", "log-group:", _LOG_GROUP_ACTIONS),
    FUNCTION: ManagedType("lambda", "function:", _FUNCTION_ACTIONS),
    ALARM: ManagedType("cloudwatch", "alarm:", ("PutMetricAlarm", "DescribeAlarms", "DeleteAlarms", *TAGS)),
    "aws:cloudwatch/dashboard:Dashboard": ManagedType(
        "cloudwatch", "dashboard/", ("PutDashboard", "GetDashboard", "DeleteDashboards"), is_global=True
    ),
    RULE: ManagedType("events", "rule/", ("PutRule", "DescribeRule", "DeleteRule", *TAGS)),
}
# Types whose calls are on a resource of another type: which one, and the actions.
PARTS = {
    "aws:iam/rolePolicy:RolePolicy": (ROLE, ("PutRolePolicy", "GetRolePolicy", "DeleteRolePolicy")),
    "aws:lambda/permission:Permission": (FUNCTION, ("AddPermission", "GetPolicy", "RemovePermission")),
    "aws:cloudwatch/eventTarget:EventTarget": (
        RULE,
        ("PutTargets", "ListTargetsByRule", "RemoveTargets"),
    ),
    "aws:lambda/eventSourceMapping:EventSourceMapping": (FUNCTION, ()),
}
# More names of one type than this are named by their first word, which is their component's.
NAMES_MOST = 3


def operator_document(place: Place, resources: Iterable[Planned], outputs: Mapping[str, Any]) -> Document:
    """IAM document for deploying these resources and running every verb on them.

    Args:
        place: where the stack is.
        resources: what it has.
        outputs: what it exports; names end in `NAME_END`.

    Raises:
        OperatorError: a resource is of a type whose actions are not known here.
    """
    names: dict[str, list[str]] = {}
    actions = {pulumi_type: list(kind.actions) for pulumi_type, kind in MANAGED.items()}
    for each in resources:
        if each.pulumi_type in PARTS:
            owner, more = PARTS[each.pulumi_type]
            actions[owner] += [action for action in more if action not in actions[owner]]
        elif each.pulumi_type in MANAGED:
            names.setdefault(each.pulumi_type, []).append(each.name)
        else:
            raise OperatorError(
                f"Which rights {each.pulumi_type} {each.name!r} takes is not known: "
                "add its type to outbox_cli/permissions/operator.py."
            )
    arns = {
        pulumi_type: [
            place.arn(kind.service, kind.resource + name, is_global=kind.is_global)
            for name in _patterns(names.get(pulumi_type, []), is_exact=pulumi_type == ROLE)
        ]
        for pulumi_type, kind in MANAGED.items()
    }
    manage = [
        _statement(
            f"Manage{pulumi_type.rpartition(':')[2]}s", kind.service, actions[pulumi_type], arns[pulumi_type]
        )
        for pulumi_type, kind in MANAGED.items()
        if arns[pulumi_type]
    ]
    statements = [
        *manage,
        *_mappings(place, names.get(FUNCTION, [])),
        _pass_roles(arns[ROLE]),
        _regional(place),
    ]
    return {
        "Version": POLICY_LANGUAGE_VERSION,
        "Statement": [*statements, *_verbs(place, outputs)],
    }


def _patterns(names: list[str], *, is_exact: bool) -> list[str]:
    """Physical names of these resources; very many share the pattern of their component."""
    if len(names) > NAMES_MOST and not is_exact:
        names = [_component(each) for each in names]
    return [name + NAME_END for name in sorted(set(names))]


def _component(name: str) -> str:
    return name.partition("-")[0]


def _mappings(place: Place, functions: Iterable[str]) -> list[Document]:
    """A mapping's name is AWS's own, so it is known by the function that it invokes; its tags are not."""
    mappings = [place.arn("lambda", "event-source-mapping:*")]
    changes = [f"{verb}EventSourceMapping" for verb in ("Get", "Update", "Delete")]
    tags = ("ListTags", "TagResource", "UntagResource")
    components = sorted({_component(each) for each in functions})
    invoked = [place.arn("lambda", f"function:{each}{NAME_END}") for each in components]
    condition = {"Condition": {"ArnLike": {"lambda:FunctionArn": invoked}}}
    return [
        _statement("CreateMappings", "lambda", ("CreateEventSourceMapping",), ["*"]) | condition,
        _statement("ManageMappings", "lambda", changes, mappings) | condition,
        _statement("TagMappings", "lambda", tags, mappings),
    ]


def _pass_roles(roles: list[str]) -> Document:
    passed = {"StringEquals": {"iam:PassedToService": "lambda.amazonaws.com"}}
    return _statement("PassRolesToLambdaOnly", "iam", ("PassRole",), roles) | {"Condition": passed}


def _regional(place: Place) -> Document:
    """Actions that IAM cannot narrow to a resource: hence only in the stack's region."""
    return {
        "Sid": "ReadInRegion",
        "Effect": "Allow",
        "Action": ["logs:DescribeLogGroups", "cloudwatch:GetMetricData"],
        "Resource": "*",
        "Condition": {"StringEquals": {"aws:RequestedRegion": place.region}},
    }


def _verbs(place: Place, outputs: Mapping[str, Any]) -> list[Document]:
    """Statements that the verbs need beside those of deploying."""
    read = ("ReceiveMessage", "DeleteMessage", "ChangeMessageVisibility")
    command = place.arn("lambda", f"function:{outputs['command_function_name']}")
    dead_letters, failures = outputs["dead_letter_queue_arn"], outputs["relay_failure_queue_url"]
    told = [place.arn("sqs", failures.rpartition("/")[2])] if failures else []
    return [
        _statement("SendEvents", "sqs", ("SendMessage",), [outputs["queue_arn"]]),
        _statement("TakeMessages", "sqs", read, [dead_letters, *told]),
        _correct_rows(place, outputs["source_table_name"]),
        _statement("PlaceOrders", "lambda", ("InvokeFunction",), [command]),
    ]


def _correct_rows(place: Place, table: str) -> Document:
    """The body of a parked event: of outbox rows alone, which their key tells."""
    rows = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [f"{ROW_PREFIX}*"]}}
    update = _statement("CorrectRows", "dynamodb", ("UpdateItem",), [place.arn("dynamodb", f"table/{table}")])
    return update | {"Condition": rows}


def _statement(sid: str, service: str, actions: Iterable[str], arns: list[str]) -> Document:
    return {
        "Sid": sid,
        "Effect": "Allow",
        "Action": [f"{service}:{action}" for action in actions],
        "Resource": arns[0] if len(arns) == 1 else arns,
    }


def characters(document: Document) -> int:
    """The size that IAM counts: without white space."""
    return len("".join(json.dumps(document).split()))
