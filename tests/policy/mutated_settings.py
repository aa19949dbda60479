"""Settings of queues, mappings, tables, log groups and functions, each moved off its value."""

import json
from typing import Any

from pack.resources import FUNCTION, LOG_GROUP, MAPPING, QUEUE, TABLE
from tests.policy.changes import both, put, remove, unprotect
from tests.policy.judging import LEAST
from tests.policy.mutated_documents import Found
from tests.policy.worlds import ACCOUNT, Made, World, function_component

RUN, KEY = "function-can-run", "cost-no-customer-managed-key"
NUMBER_AS_KEY = [{"name": "PK", "type": "N"}, {"name": "SK", "type": "S"}]
SETTINGS: tuple[tuple[str, tuple[str, ...], tuple[Any, ...], str], ...] = (
    (LOG_GROUP, ("retentionInDays",), (None, 0, 3, 7, 365), "logs-retention-one-day"),
    (LOG_GROUP, ("logGroupClass",), ("INFREQUENT_ACCESS", "DELIVERY"), "logs-retention-one-day"),
    (LOG_GROUP, ("kmsKeyId",), ("a-key",), KEY),
    (QUEUE, ("sqsManagedSseEnabled",), (None, False), "queue-encrypted"),
    (QUEUE, ("receiveWaitTimeSeconds",), (None, 0, 19), "queue-long-polling"),
    (QUEUE, ("kmsMasterKeyId",), ("a-key",), KEY),
    (TABLE, ("billingMode",), (None, "PROVISIONED"), "table-on-demand"),
    (TABLE, ("hashKey",), ("SK", "id"), "table-contract"),
    (TABLE, ("rangeKey",), (None, "PK"), "table-contract"),
    (TABLE, ("attributes",), ([], NUMBER_AS_KEY), "table-contract"),
    (TABLE, ("ttl",), ({"enabled": True, "attributeName": "expires"},), "table-contract"),
    (TABLE, ("serverSideEncryption",), ({"enabled": True, "kmsKeyArn": "a-key"},), KEY),
    (FUNCTION, ("timeout",), (900,), "cost-function-bounds"),
    (FUNCTION, ("timeout",), (None, 1, 9), RUN),
    (FUNCTION, ("handler",), (None, "", "handler", "relay."), RUN),
    (FUNCTION, ("runtime",), (None, "python3.10", "nodejs22.x"), RUN),
    (FUNCTION, ("architectures",), (["riscv"], ["ARM64"]), RUN),
    (FUNCTION, ("reservedConcurrentExecutions",), (0,), RUN),
    (FUNCTION, ("environment", "variables", "AGGREGATE_SHARDS"), ("", "0", "-1", "1.5", "many", 0), RUN),
    *(
        (FUNCTION, ("environment", "variables", f"RECONCILE_{name}"), ("", "0", "-1", "1.5"), RUN)
        for name in ("INTERVAL_MINUTES", "MARGIN_SECONDS", "HORIZON_SECONDS")
    ),
    (QUEUE, ("maxMessageSize",), (None, 1, 262_144, 1_048_575), "queue-message-size"),
    (QUEUE, ("messageRetentionSeconds",), (1, 60, 86_399), "queue-retention"),
    (FUNCTION, ("memorySize",), (10_240,), "cost-function-bounds"),
    (FUNCTION, ("ephemeralStorage", "size"), (513, 10_240), "cost-function-bounds"),
    (FUNCTION, ("kmsKeyArn",), ("a-key",), KEY),
    (FUNCTION, ("loggingConfig",), (None, {"logFormat": "JSON"}), "lambda-log-group-explicit"),
    (FUNCTION, ("loggingConfig", "logGroup"), ("/aws/lambda/elsewhere",), "lambda-log-group-explicit"),
    (FUNCTION, ("environment",), (None, {"variables": {}}), LEAST),
    (FUNCTION, ("role",), (f"arn:aws:iam::{ACCOUNT}:role/from-elsewhere",), LEAST),
    (MAPPING, ("functionResponseTypes",), (None, []), "mapping-failure-reporting"),
    (MAPPING, ("enabled",), (False,), "mapping-enabled"),
    (MAPPING, ("batchSize",), (0, 10_001), "mapping-within-limits"),
    (MAPPING, ("maximumBatchingWindowInSeconds",), (-1, 301), "mapping-within-limits"),
    (MAPPING, ("provisionedPollerConfig",), ({"minimumPollers": 1},), "mapping-no-provisioned-pollers"),
    (MAPPING, ("functionName",), ("elsewhere",), LEAST),
    (MAPPING, ("eventSourceArn",), (None, "", "elsewhere", 7), LEAST),
)
STREAM_SETTINGS: tuple[tuple[str, tuple[Any, ...], str], ...] = (
    ("maximumRetryAttempts", (None, -1, 10_001), "mapping-finite-retries"),
    ("maximumRecordAgeInSeconds", (None, -1, 0, 59, 604_801), "mapping-finite-retries"),
    ("startingPosition", (None, "LATEST"), "mapping-stream-start"),
    ("parallelizationFactor", (0, 11), "mapping-within-limits"),
)
MESSAGE_BOUNDS = {"timeout": 60, "memorySize": 1024}
BOUNDS = dict.fromkeys(("command", "relay", "consumer"), MESSAGE_BOUNDS) | {
    "reconciler": {"timeout": 300, "memorySize": 1769}
}
"""The most that a function of each purpose may have."""
RESOURCE_VARIABLES = ("SOURCE_TABLE", "QUEUE_URL", "QUEUE_URLS", "PROJECTION_TABLE")
INSERTS = '{"eventName": ["INSERT"]}'
TABLE_STREAM_SETTINGS: tuple[tuple[str, tuple[Any, ...]], ...] = (
    ("streamEnabled", (None, False)),
    ("streamViewType", (None, "KEYS_ONLY", "OLD_IMAGE")),
)
PATTERNS = (
    *("{", "{}", '{"eventName": "INSERT"}', INSERTS, INSERTS.replace("INSERT", "MODIFY")),
    '{"dynamodb": {"NewImage": {"kind": {"S": ["ORDER"]}}}, "eventName": ["INSERT"]}',
)
FILTERS: tuple[Any, ...] = (
    *(None, {"filters": []}, {"filters": [{}]}),
    *({"filters": [{"pattern": pattern}]} for pattern in PATTERNS),
)


def settings(world: World) -> Found:
    for type_, path, values, rule in SETTINGS:
        for made in world.of(type_):
            for value in values:
                yield f"{made.name}.{'.'.join(path)} = {value}", rule, put(made.name, path, value)
    for mapping in world.of(MAPPING):
        yield f"{mapping.name} removed", LEAST, remove(mapping.name)
        for queue in world.of(QUEUE):
            if (arn := queue.computed["arn"]) != mapping.inputs["eventSourceArn"]:
                yield f"{mapping.name} reads {arn}", LEAST, put(mapping.name, ("eventSourceArn",), arn)
        if "startingPosition" in mapping.inputs:
            yield from _stream_settings(world, mapping)
        else:
            yield from _queue_mapping_settings(world, mapping)
    yield from _queue_settings(world)
    yield from _function_settings(world)
    if world.stack == "prod":
        yield from _production_settings(world)


def _function_settings(world: World) -> Found:
    for function in world.of(FUNCTION):
        component = world[function_component(function.name.removesuffix("-function"))]
        for setting, most in BOUNDS[component.inputs["purpose"]].items():
            change = put(function.name, (setting,), most + 1)
            yield f"{function.name}.{setting} = {most + 1}", "cost-function-bounds", change
        for group in world.of(LOG_GROUP):
            if (name := group.computed["name"]) != function.inputs["loggingConfig"]["logGroup"]:
                change = put(function.name, ("loggingConfig", "logGroup"), name)
                yield f"{function.name} logs to {name}", LEAST, change
        variables = function.inputs["environment"]["variables"]
        for variable, value in ((name, variables[name]) for name in variables if name in RESOURCE_VARIABLES):
            for other in (*world.of(TABLE), *world.of(QUEUE)):
                named = other.computed.get("url" if "QUEUE" in variable else "name", "")
                if named and named != value:
                    change = put(function.name, ("environment", "variables", variable), named)
                    yield f"{function.name}.{variable} = {named}", LEAST, change


def _production_settings(world: World) -> Found:
    for table in world.of(TABLE):
        for value in (None, False):
            change = put(table.name, ("deletionProtectionEnabled",), value)
            yield f"{table.name} unprotected ({value})", "table-protected", change
            change = put(table.name, ("pointInTimeRecovery",), value and {"enabled": value})
            yield f"{table.name} without recovery ({value})", "table-recoverable", change
        yield f"{table.name} unprotected by Pulumi", "table-protected", unprotect(table.name)
    for function in world.of(FUNCTION):
        change = put(function.name, ("environment", "variables", "FAULT_AFTER_COMMIT"), "order-b")
        yield f"{function.name} with a fault", "fault-injection-off", change


def _stream_settings(world: World, mapping: Made) -> Found:
    for name, values, rule in STREAM_SETTINGS:
        for value in values:
            yield f"{mapping.name}.{name} = {value}", rule, put(mapping.name, (name,), value)
    for criteria in FILTERS:
        change = put(mapping.name, ("filterCriteria",), criteria)
        yield f"{mapping.name} filters {criteria}", "mapping-stream-filter", change
    given = mapping.inputs.get("destinationConfig", {}).get("onFailure", {}).get("destinationArn")
    for queue in world.of(QUEUE):
        if (arn := queue.computed["arn"]) != given:
            change = put(mapping.name, ("destinationConfig", "onFailure", "destinationArn"), arn)
            yield f"{mapping.name} fails to {queue.name}", LEAST, change
    (table,) = (found for found in world.of(TABLE) if found.computed["streamArn"])
    for name, views in TABLE_STREAM_SETTINGS:
        for view in views:
            yield f"{table.name}.{name} = {view}", "table-stream-new-image", put(table.name, (name,), view)


def _queue_mapping_settings(world: World, mapping: Made) -> Found:
    limits = "mapping-within-limits"
    for value in (None, 1, 1001):
        change = put(mapping.name, ("scalingConfig", "maximumConcurrency"), value)
        yield f"{mapping.name}.maximumConcurrency = {value}", limits, change
    window = ("maximumBatchingWindowInSeconds",)
    change = both(put(mapping.name, ("batchSize",), 11), put(mapping.name, window, 0))
    yield f"{mapping.name}: 11 without window", limits, change
    longer = mapping.inputs["maximumBatchingWindowInSeconds"] + 1
    yield f"{mapping.name}: window {longer}", "queue-visibility", put(mapping.name, window, longer)
    for function in world.of(FUNCTION):
        if function.computed["arn"] == mapping.inputs["functionName"]:
            change = put(function.name, ("reservedConcurrentExecutions",), 1)
            yield f"{function.name} reserves less", limits, change
            yield f"{function.name}.timeout = 11", "queue-visibility", put(function.name, ("timeout",), 11)


def _queue_settings(world: World) -> Found:
    for queue in world.of(QUEUE):
        if "redrivePolicy" not in queue.inputs:
            continue
        redrive, dead = json.loads(queue.inputs["redrivePolicy"]), "queue-dead-letter"
        for value in (None, 0, 30, 59):
            change = put(queue.name, ("visibilityTimeoutSeconds",), value)
            yield f"{queue.name} is invisible for {value}", "queue-visibility", change
        for policy in (None, "", "{", "[]", "{}", json.dumps(redrive | {"maxReceiveCount": "few"})):
            yield f"{queue.name} redrives {policy}", dead, put(queue.name, ("redrivePolicy",), policy)
        for count in (0, 1, 4):
            policy = json.dumps(redrive | {"maxReceiveCount": count})
            yield f"{queue.name} after {count}", dead, put(queue.name, ("redrivePolicy",), policy)
        for arn in (queue.computed["arn"], "arn:aws:sqs:us-east-1:999999999999:elsewhere"):
            policy = json.dumps(redrive | {"deadLetterTargetArn": arn})
            yield f"{queue.name} redrives to {arn}", dead, put(queue.name, ("redrivePolicy",), policy)
        (dead_letters,) = (
            found for found in world.of(QUEUE) if found.computed["arn"] == redrive["deadLetterTargetArn"]
        )
        kept = queue.inputs["messageRetentionSeconds"]
        for value in (60, kept, kept - 1):
            change = put(dead_letters.name, ("messageRetentionSeconds",), value)
            yield f"dead-letter messages kept {value}", dead, change
        for value in (1_209_600, dead_letters.inputs["messageRetentionSeconds"]):
            yield f"messages kept {value}", dead, put(queue.name, ("messageRetentionSeconds",), value)
