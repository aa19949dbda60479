"""The resource type `aws.sqs.Queue`."""

from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Computed,
    Properties,
    ResourceType,
    Schema,
    physical_name,
    tags_of,
)

ATTRIBUTES = {
    "delaySeconds": "DelaySeconds",
    "maxMessageSize": "MaximumMessageSize",
    "messageRetentionSeconds": "MessageRetentionPeriod",
    "receiveWaitTimeSeconds": "ReceiveMessageWaitTimeSeconds",
    "redriveAllowPolicy": "RedriveAllowPolicy",
    "redrivePolicy": "RedrivePolicy",
    "sqsManagedSseEnabled": "SqsManagedSseEnabled",
    "visibilityTimeoutSeconds": "VisibilityTimeout",
}


class Queue(ResourceType):
    """A standard queue; its id is its URL."""

    pulumi_type = "aws:sqs/queue:Queue"
    schema: ClassVar[Schema] = {"name": LEAF, "tags": FREE_FORM} | dict.fromkeys(ATTRIBUTES, LEAF)
    ignored = frozenset({"kmsMasterKeyId", "kmsDataKeyReusePeriodSeconds"})
    replaced_on = frozenset({"name"})
    computed: ClassVar[Computed] = {"arn": frozenset(), "url": frozenset()}

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
        name = physical_name(logical_name, inputs)
        created = clients("sqs").create_queue(
            QueueName=name, Attributes=_attributes(inputs), tags=tags_of(inputs)
        )
        return str(created["QueueUrl"])

    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        found = clients("sqs").get_queue_attributes(QueueUrl=resource_id, AttributeNames=["All"])[
            "Attributes"
        ]
        current = {
            name: _parsed(found[attribute]) for name, attribute in ATTRIBUTES.items() if attribute in found
        }
        name = found["QueueArn"].rsplit(":", 1)[1]
        return inputs | current | {"name": name, "url": resource_id, "arn": found["QueueArn"]}

    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        clients("sqs").set_queue_attributes(QueueUrl=resource_id, Attributes=_attributes(new))

    def _remove(self, clients: Clients, resource_id: str) -> None:
        clients("sqs").delete_queue(QueueUrl=resource_id)


def _attributes(inputs: Properties) -> dict[str, str]:
    """SQS takes and gives every attribute as text."""
    return {
        attribute: _as_text(inputs[name])
        for name, attribute in ATTRIBUTES.items()
        if inputs.get(name) is not None
    }


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value)) if isinstance(value, float) else str(value)


def _parsed(text: str) -> str | float | bool:
    if text in ("true", "false"):
        return text == "true"
    return float(text) if text.isdigit() else text
