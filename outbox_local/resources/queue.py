"""The resource type `aws.sqs.Queue`."""

import contextlib
from typing import ClassVar

from outbox_local.clients import Clients
from outbox_local.resources.base import (
    FREE_FORM,
    LEAF,
    Created,
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
    computed: ClassVar[dict[str, frozenset[str]]] = {"arn": frozenset(), "url": frozenset()}

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """See the base class."""
        url = clients("sqs").create_queue(
            QueueName=physical_name(logical_name, inputs),
            Attributes=_attributes(inputs),
            tags=tags_of(inputs),
        )["QueueUrl"]
        return Created(url, self.outputs(clients, url, inputs))

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """See the base class."""
        sqs = clients("sqs")
        try:
            found = sqs.get_queue_attributes(QueueUrl=resource_id, AttributeNames=["All"])["Attributes"]
        except sqs.exceptions.QueueDoesNotExist:
            return None
        current = {
            name: _parsed(found[attribute]) for name, attribute in ATTRIBUTES.items() if attribute in found
        }
        name = found["QueueArn"].rsplit(":", 1)[1]
        return inputs | current | {"name": name, "url": resource_id, "arn": found["QueueArn"]}

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """See the base class."""
        clients("sqs").set_queue_attributes(QueueUrl=resource_id, Attributes=_attributes(new))
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """See the base class."""
        sqs = clients("sqs")
        with contextlib.suppress(sqs.exceptions.QueueDoesNotExist):
            sqs.delete_queue(QueueUrl=resource_id)


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
