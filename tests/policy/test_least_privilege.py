import json
from typing import Any

import pytest

from pack.resources import FUNCTION, LOG_GROUP, MAPPING, QUEUE, ROLE, ROLE_POLICY, TABLE
from tests.policy.changes import policy, set_to, unknown_from
from tests.policy.judging import LEAST, judge
from tests.policy.worlds import ACCOUNT, World, recorded

BILLING_QUEUE = f"arn:aws:sqs:eu-west-1:{ACCOUNT}:billing"
BILLING_TABLE = f"arn:aws:dynamodb:eu-west-1:{ACCOUNT}:table/invoices"
BILLING_LOGS = f"arn:aws:logs:eu-west-1:{ACCOUNT}:log-group:billing-logs"
POLL = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"]
CONTRACT = {
    "contracts": {
        "billing": [
            {"sid": "Store", "actions": ["dynamodb:PutItem"], "place": "table", "variables": ["INVOICES"]},
            {"sid": "Poll", "actions": POLL, "place": "source"},
            {"sid": "Log", "actions": ["logs:PutLogEvents"], "place": "logs"},
        ]
    },
    "purposes": {"billing-*": "billing"},
}


def billing(*statements: dict[str, Any]) -> World:
    """Another program's stack: a function outside our components that reads a queue and writes a table."""
    world = World("live")
    world.add(QUEUE, "billing-queue", {"arn": BILLING_QUEUE, "name": "billing"})
    world.add(TABLE, "billing-table", {"arn": BILLING_TABLE, "name": "invoices"})
    world.add(LOG_GROUP, "billing-logs", {"arn": BILLING_LOGS, "name": "billing-logs"})
    world.add(ROLE, "billing-role", {"name": "billing-role"})
    world.add(ROLE_POLICY, "billing-policy", {"role": "billing-role", "policy": policy(*statements)})
    environment = {"variables": {"INVOICES": "invoices"}}
    logging = {"logGroup": "billing-logs"}
    world.add(
        FUNCTION,
        "billing-function",
        {"name": "billing", "role": "billing-role", "environment": environment, "loggingConfig": logging},
    )
    world.add(MAPPING, "billing-mapping", {"functionName": "billing", "eventSourceArn": BILLING_QUEUE})
    return world


def allow(sid: str, actions: Any, resource: str) -> dict[str, Any]:
    return {"Sid": sid, "Effect": "Allow", "Action": actions, "Resource": resource}


STORE = allow("Store", "dynamodb:PutItem", BILLING_TABLE)
READ = allow("Poll", POLL, BILLING_QUEUE)
LOG = allow("Log", "logs:PutLogEvents", f"{BILLING_LOGS}:*")


def test_foreign_function_with_a_configured_contract_is_held_to_it_both_ways() -> None:
    exact, more, less = (
        billing(STORE, READ, LOG),
        billing(STORE, READ, LOG, READ | {"Action": "sqs:PurgeQueue"}),
        billing(READ, LOG),
    )

    said = [
        [found.message for found in judge(world, LEAST, config=CONTRACT).findings]
        for world in (exact, more, less)
    ]

    assert said[0] == []
    assert "Poll allows sqs:PurgeQueue on 'billing-queue' beyond it" in said[1][0]
    assert "Store lacks dynamodb:PutItem on the table in INVOICES" in said[2][0]


def test_foreign_function_without_contract_is_left_to_the_general_rules() -> None:
    world = billing(STORE, READ, LOG, allow("More", "s3:GetObject", "arn:aws:s3:::bucket/key"))

    judged = judge(world, LEAST, "iam-no-broad-statement")

    assert judged.findings == []


@pytest.mark.parametrize("lacking", POLL)
def test_foreign_queue_mapping_without_a_right_it_needs_is_reported(lacking: str) -> None:
    world = billing(READ | {"Action": [action for action in POLL if action != lacking]})

    judged = judge(world, LEAST)

    (finding,) = judged.findings
    assert f"its mapping 'billing-mapping' needs {lacking}" in finding.message


def test_foreign_stream_mapping_without_get_records_is_reported() -> None:
    stream = f"{BILLING_TABLE}/stream/2026-01-01T00:00:00.000"
    world = billing(allow("Read", ["dynamodb:DescribeStream", "dynamodb:GetShardIterator"], stream))
    set_to("billing-mapping", "eventSourceArn", value=stream)(world)

    judged = judge(world, LEAST)

    (finding,) = judged.findings
    assert "needs dynamodb:GetRecords, dynamodb:ListStreams, which its role does not allow" in finding.message


def test_relay_to_a_queue_of_another_stack_is_held_to_that_queue() -> None:
    world = recorded()
    url = f"https://sqs.us-east-1.test/{ACCOUNT}/elsewhere"
    set_to("orders-relay-function", "environment", "variables", "QUEUE_URL", value=url)(world)
    document = json.loads(world["orders-relay-policy"].inputs["policy"])

    said = []
    for name in ("elsewhere", "elsewhere-too", "else*"):
        document["Statement"][0]["Resource"] = f"arn:aws:sqs:us-east-1:{ACCOUNT}:{name}"
        world["orders-relay-policy"].inputs["policy"] = json.dumps(document)
        said.append([finding.message for finding in judge(world, LEAST).findings])

    assert [len(messages) for messages in said] == [0, 1, 1]


def test_relay_to_several_queues_needs_the_right_on_each() -> None:
    world = recorded()
    queue, dead_letters = world["sales-queue"].computed, world["sales-dead-letter-queue"].computed
    variables = {"QUEUE_URLS": f"{queue['url']} {dead_letters['url']}"}
    set_to("orders-relay-function", "environment", "variables", value=variables)(world)
    document = json.loads(world["orders-relay-policy"].inputs["policy"])

    before = judge(world, LEAST).findings
    document["Statement"][0]["Resource"] = [queue["arn"], dead_letters["arn"]]
    world["orders-relay-policy"].inputs["policy"] = json.dumps(document)
    after = judge(world, LEAST).findings

    assert "ForwardOutbox lacks sqs:SendMessage on the queue in QUEUE_URLS" in before[0].message
    assert after == []


def test_first_preview_names_each_document_in_one_line_and_reports_nothing() -> None:
    world = recorded("prod", preview=True)

    judged = judge(world, LEAST)

    assert judged.findings == []
    (line,) = judged.pending
    assert line.message.startswith("checked on update, once known: ")
    assert set(line.message.partition(": ")[2].split(", ")) == {
        f"{name}-policy.policy"
        for name in ("orders-command", "orders-relay", "sales-consumer", "sales-reconciler")
    }


def test_first_preview_role_without_any_document_lacks_everything() -> None:
    world = recorded(preview=True)
    world.remove("sales-consumer-policy")

    judged = judge(world, LEAST)

    (finding,) = judged.findings
    assert "WriteInboxAndAggregate lacks" in finding.message


def test_function_whose_environment_is_unknown_is_resolved_by_dependencies() -> None:
    world = recorded(preview=True)
    unknown_from("orders-command-function", "environment")(world)

    judged = judge(world, LEAST)

    assert judged.findings == []
    assert judged.pending != []
