"""No customer-managed key: it costs by the month and by the call, and AWS's own keys encrypt as well.

https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html
"""

from pack.options import texts
from pack.resources import FUNCTION, LOG_GROUP, MAPPING, QUEUE, TABLE, TOPIC, Config, Resource, Verdicts
from pack.rule import resource_rule
from pack.values import UNKNOWN

KEY_TYPES = ("aws:kms/key:Key", "aws:kms/replicaKey:ReplicaKey", "aws:kms/externalKey:ExternalKey")
KEY_PROPERTIES = {
    FUNCTION: ("kmsKeyArn",),
    LOG_GROUP: ("kmsKeyId",),
    MAPPING: ("kmsKeyArn",),
    QUEUE: ("kmsMasterKeyId",),
    TABLE: ("serverSideEncryption", "kmsKeyArn"),
    TOPIC: ("kmsMasterKeyId",),
}
AWS_MANAGED_ALIAS = "alias/aws/"
FIX = "Leave the key out: the service then uses its own."


@resource_rule(
    name="cost-no-customer-managed-key",
    description="There are no customer-managed keys.",
    remediation=FIX,
    types=(*KEY_TYPES, *KEY_PROPERTIES),
    options={"allowedKeys": texts([], "Keys that may be used, exactly as written in the property.")},
)
def judge(resource: Resource, config: Config) -> Verdicts:
    """Judge a key, or the key that another resource names."""
    if resource.type in KEY_TYPES:
        yield resource.finding(
            f"Key '{resource.name}' must not exist: it costs by the month and by the call. {FIX}"
        )
        return
    path = KEY_PROPERTIES[resource.type]
    key = resource.get(*path)
    if key is UNKNOWN:
        yield resource.pending(*path)
    elif key and AWS_MANAGED_ALIAS not in str(key) and key not in config["allowedKeys"]:
        yield resource.finding(
            f"'{resource.name}' must use no customer-managed key; {path[-1]} names one. {FIX}"
        )
