"""Settings of each queue on its own.

https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SetQueueAttributes.html
"""

from typing import Any

from pack.options import whole
from pack.queues import DEFAULT_RETENTION_SECONDS
from pack.resources import QUEUE, Config
from pack.rule import property_rule


@property_rule(
    name="queue-encrypted",
    description="Queues are encrypted at rest.",
    remediation="Set sqsManagedSseEnabled to true.",
    resource_type=QUEUE,
    property_name="sqsManagedSseEnabled",
    applies=lambda queue, _: not queue.get("kmsMasterKeyId"),
)
def encrypted(is_encrypted: Any, _config: Config) -> str:
    """SQS's own key costs nothing; a KMS key encrypts too, and is for cost-no-customer-managed-key."""
    return "" if is_encrypted is True else "must say that it is encrypted; it does not"


@property_rule(
    name="queue-long-polling",
    description="Receives wait for messages (long polling).",
    remediation="Raise receiveWaitTimeSeconds.",
    resource_type=QUEUE,
    property_name="receiveWaitTimeSeconds",
    options={"minimumSeconds": whole(20, "Shortest wait of a receive.", minimum=1, maximum=20)},
)
def long_polling(wait: Any, config: Config) -> str:
    """An empty answer is a billed request, too."""
    least = config["minimumSeconds"]
    return "" if (wait or 0) >= least else f"must let a receive wait {least:g} s; it waits {wait or 0:g} s"


@property_rule(
    name="queue-message-size",
    description="Queues take messages of any size that SQS allows.",
    remediation="Raise maxMessageSize.",
    resource_type=QUEUE,
    property_name="maxMessageSize",
    options={
        "minimumBytes": whole(
            1_048_576, "Smallest limit on the size of a message.", minimum=1024, maximum=1_048_576
        )
    },
)
def message_size(size: Any, config: Config) -> str:
    """The relay cannot send a body that its queue refuses. SQS's own default has changed, so the size is stated."""
    least = int(config["minimumBytes"])
    if (size or 0) >= least:
        return ""
    found = f"takes {int(size)}" if size else "does not say what it takes"
    return f"must take messages of {least} bytes; it {found}, and a larger message is stored and never sent"


@property_rule(
    name="queue-retention",
    description="Queues keep messages for a day or longer.",
    remediation="Raise messageRetentionSeconds.",
    resource_type=QUEUE,
    property_name="messageRetentionSeconds",
    options={
        "minimumSeconds": whole(
            86_400, "Shortest time that a message is kept.", minimum=60, maximum=1_209_600
        )
    },
)
def retention(kept: Any, config: Config) -> str:
    """Messages must outlast a pause of their consumer, or of an operator."""
    seconds, least = kept or DEFAULT_RETENTION_SECONDS, config["minimumSeconds"]
    return (
        ""
        if seconds >= least
        else f"must keep messages for {least:g} s or more; it keeps them {seconds:g} s, and what nobody took by "
        "then is lost"
    )
