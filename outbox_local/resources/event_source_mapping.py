"""The resource type `aws.lambda.EventSourceMapping`."""

from typing import Any, ClassVar

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError
from outbox_local.event_sources.limits import check_limits
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    tags_of,
    without_nones,
)

# What the function's role must be allowed on the source before a mapping can be made.
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html (execution role permissions)
# https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-eventsourcemapping.html
READ_ACTIONS = {
    "sqs": ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"),
    "dynamodb": ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator"),
}
LIST_STREAMS = "dynamodb:ListStreams"  # knows no resource: it is granted on `*` or not at all


class EventSourceMapping(ResourceType):
    """A mapping of a stream or a queue to a function; its id is its UUID.

    The emulator stores it; `outbox_local.event_sources` runs it.
    """

    pulumi_type = "aws:lambda/eventSourceMapping:EventSourceMapping"
    schema: ClassVar[Schema] = {
        "eventSourceArn": LEAF,
        "functionName": LEAF,
        "enabled": LEAF,
        "batchSize": LEAF,
        "maximumBatchingWindowInSeconds": LEAF,
        "startingPosition": LEAF,
        "maximumRetryAttempts": LEAF,
        "maximumRecordAgeInSeconds": LEAF,
        "parallelizationFactor": LEAF,
        "bisectBatchOnFunctionError": LEAF,
        "functionResponseTypes": LEAF,
        "filterCriteria": {"filters": {"pattern": LEAF}},
        "scalingConfig": {"maximumConcurrency": LEAF},
        "destinationConfig": {"onFailure": {"destinationArn": LEAF}},
        "tags": FREE_FORM,
    }
    ignored = frozenset(
        {"kmsKeyArn", "metricsConfig", "provisionedPollerConfig", "useResourceTimeoutForPropagation"}
    )
    replaced_on = frozenset({"eventSourceArn", "startingPosition"})
    required = frozenset({"eventSourceArn", "functionName"})
    computed: ClassVar[Computed] = {name: frozenset() for name in ("uuid", "arn", "functionArn", "state")}

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
        """Checks the settings and the role's rights as Lambda does, then makes the mapping.

        Raises:
            InvalidMapping: a setting is outside Lambda's limits.
            DeploymentError: the role may not read the source, or a delivery may outlast its invisibility.
        """
        request = _checked(inputs)
        _check_source(clients, inputs["eventSourceArn"], inputs["functionName"])
        return str(clients("lambda").create_event_source_mapping(**request)["UUID"])

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        found = clients("lambda").get_event_source_mapping(UUID=resource_id)
        return inputs | {
            "uuid": resource_id,
            "arn": found["EventSourceMappingArn"],
            "functionArn": found["FunctionArn"],
            "state": found["State"],
            "enabled": found["State"] == "Enabled",
            "batchSize": found["BatchSize"],
        }

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        _checked(new)
        clients("lambda").update_event_source_mapping(UUID=resource_id, **_settings(new))

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("lambda").delete_event_source_mapping(UUID=resource_id)


def _checked(inputs: Properties) -> dict[str, Any]:
    """The arguments of a new mapping, within Lambda's limits."""
    request = _settings(inputs) | without_nones(
        {
            "EventSourceArn": inputs["eventSourceArn"],
            "StartingPosition": inputs.get("startingPosition"),
            "Tags": tags_of(inputs) or None,
        }
    )
    check_limits(request)
    return request


def _settings(inputs: Properties) -> dict[str, Any]:
    """Settings that both a new and a changed mapping take; `None` leaves a setting to Lambda's default."""
    numbers = {
        "BatchSize": "batchSize",
        "MaximumBatchingWindowInSeconds": "maximumBatchingWindowInSeconds",
        "MaximumRetryAttempts": "maximumRetryAttempts",
        "MaximumRecordAgeInSeconds": "maximumRecordAgeInSeconds",
        "ParallelizationFactor": "parallelizationFactor",
    }
    concurrency = (inputs.get("scalingConfig") or {}).get("maximumConcurrency")
    destination = ((inputs.get("destinationConfig") or {}).get("onFailure") or {}).get("destinationArn")
    filters = (inputs.get("filterCriteria") or {}).get("filters")
    return without_nones(
        {
            "FunctionName": inputs["functionName"],
            "Enabled": inputs.get("enabled"),
            "FunctionResponseTypes": inputs.get("functionResponseTypes"),
            "BisectBatchOnFunctionError": inputs.get("bisectBatchOnFunctionError"),
            "FilterCriteria": {"Filters": [{"Pattern": each["pattern"]} for each in filters]}
            if filters
            else None,
            "ScalingConfig": {"MaximumConcurrency": int(concurrency)} if concurrency is not None else None,
            "DestinationConfig": {"OnFailure": {"Destination": destination}} if destination else None,
        }
        | {name: int(inputs[given]) for name, given in numbers.items() if inputs.get(given) is not None}
    )


def _denied(clients: Clients, role_arn: str, actions: tuple[str, ...], resource_arn: str) -> list[str]:
    answer = clients("iam").simulate_principal_policy(
        PolicySourceArn=role_arn, ActionNames=actions, ResourceArns=[resource_arn]
    )
    return [
        each["EvalActionName"] for each in answer["EvaluationResults"] if each["EvalDecision"] != "allowed"
    ]


def _check_source(clients: Clients, source_arn: str, function_name: str) -> None:
    function = clients("lambda").get_function_configuration(FunctionName=function_name)
    service = source_arn.split(":")[2]
    denied = _denied(clients, function["Role"], READ_ACTIONS[service], source_arn)
    if service == "dynamodb":
        denied += [f"{action} (on *)" for action in _denied(clients, function["Role"], (LIST_STREAMS,), "*")]
    if denied:
        raise DeploymentError(
            f"The execution role of function {function_name} lacks {', '.join(denied)} on {source_arn}: "
            "grant it, and let the mapping depend on the policy that does."
        )
    if service == "sqs":
        sqs = clients("sqs")
        url = sqs.get_queue_url(QueueName=source_arn.rsplit(":", 1)[1])["QueueUrl"]
        attributes = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])[
            "Attributes"
        ]
        if int(attributes["VisibilityTimeout"]) < function["Timeout"]:
            raise DeploymentError(
                f"The visibility timeout of {source_arn} is {attributes['VisibilityTimeout']} s, less than "
                f"the {function['Timeout']} s timeout of function {function_name}: Lambda refuses that."
            )
