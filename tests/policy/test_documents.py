"""Bad input: one finding, which names function and statement and tells no value."""

import json
from typing import Any

import pytest

from pack.breadth import is_broad_resource
from pack.documents import DOCUMENT_MAXIMUM_CHARACTERS, read_document, same_condition
from pack.resources import ROLE_POLICY
from pack.values import UNKNOWN
from tests.policy.judging import judge
from tests.policy.worlds import recorded

SECRET = "hunter2-do-not-tell"
STATEMENT = {"Sid": "One", "Effect": "Allow", "Action": "s3:GetObject", "Resource": "arn:aws:s3:::bucket/key"}


def changed(**elements: Any) -> str:
    statement = STATEMENT | elements
    return json.dumps({"Statement": [{key: value for key, value in statement.items() if value is not None}]})


UNREADABLE: dict[str, tuple[Any, str]] = {
    "absent": (None, "it is absent or empty"),
    "empty": ("", "it is absent or empty"),
    "no JSON": (f'{{"Statement": {SECRET}', "it is not JSON (line 1, column 15)"),
    "text": (json.dumps(SECRET), "it is not JSON (line 1, column 1)"),
    "a number": ("7", "it is not a JSON object"),
    "a list": ("[]", "it is not a JSON object"),
    "nothing": ("{}", "it has no Statement"),
    "a statement of text": (json.dumps({"Statement": SECRET}), "statement 1 is not an object"),
    "no effect": (changed(Effect=None), "One has no Effect of Allow or Deny"),
    "another effect": (changed(Effect=SECRET), "One has no Effect of Allow or Deny"),
    "no action": (changed(Action=None), "One has no Action"),
    "no actions": (changed(Action=[]), "One has an Action that is neither text nor a list of texts"),
    "a number of actions": (changed(Action=7), "One has an Action that is neither text"),
    "an object as resource": (changed(Resource={"Ref": SECRET}), "One has an Resource that is neither text"),
    "a text as condition": (changed(Condition=SECRET), "One has a Condition that is not an object"),
    "an odd id": (changed(Sid=f"{SECRET}!", Effect=None), "statement 1 has no Effect"),
    "an element twice": ('{"Statement": [{"Action": "a:B", "action": "*"}]}', "an element stands twice"),
    "a number of 5000 digits": (
        f'{{"Statement": {"7" * 5000}}}',
        "a number with more digits than can be read",
    ),
    "very deep": ("[" * 9_000, "cannot be read"),  # where the limit lies depends on the version of Python
    "huge": (
        changed(Resource=[f"arn:aws:s3:::bucket/{number}" for number in range(100_000)]),
        "characters, and IAM",
    ),
}


@pytest.mark.parametrize("shape", UNREADABLE)
def test_unreadable_document_is_one_finding_of_each_rule_and_tells_no_value(shape: str) -> None:
    document, says = UNREADABLE[shape]
    world = recorded()
    world["orders-command-policy"].inputs["policy"] = document

    judged = judge(world)

    assert judged.rules == ["iam-no-broad-statement", "lambda-role-least-privilege"]
    for finding in judged.findings:
        assert says in finding.message
        assert SECRET not in finding.message
        assert len(finding.message) < 1000
    assert "'orders-command-function'" in judged.findings[-1].message + judged.findings[0].message


@pytest.mark.parametrize(
    ("elements", "says"),
    [
        ({"Action": None, "NotAction": "iam:*"}, "One allows all but what it lists"),
        ({"Resource": None, "NotResource": f"arn:aws:s3:::{SECRET}"}, "One allows all but what it lists"),
        ({"Action": "S3:GET*"}, "One has wildcards in its actions (S3:GET*)"),
        ({"Action": f"{SECRET} *"}, "One has wildcards in its actions (something that is no action)"),
        ({"Resource": None}, "One names no resource"),
        (
            {"Resource": "arn:aws:s3:::*", "Condition": {"StringEquals": {"a:b": SECRET}}},
            "One has a wildcard resource",
        ),
        ({"Action": [f"s3:Get{number}*" for number in range(100)]}, "and 92 more"),
    ],
)
def test_broad_statement_is_one_finding_that_names_it_and_tells_no_value(
    elements: dict[str, Any], says: str
) -> None:
    world = recorded()
    world.add(ROLE_POLICY, "added", {"policy": changed(**elements)})

    judged = judge(world)

    (finding,) = judged.findings
    assert finding.rule == "iam-no-broad-statement"
    assert says in finding.message
    assert SECRET not in finding.message


@pytest.mark.parametrize(
    ("regions", "clean"),
    [
        ("us-east-1", True),
        (["us-east-1", "eu-west-1"], True),
        *((shape, False) for shape in (7, {"a": SECRET}, [], None, "", [7], ["us-east-1", "*"])),
    ],
)
def test_statement_on_everything_is_clean_only_under_a_condition_that_names_regions(
    regions: Any, clean: bool
) -> None:
    condition = {"StringEquals": {"aws:RequestedRegion": regions}}
    elements = {"Action": "dynamodb:ListStreams", "Resource": "*", "Condition": condition}
    world = recorded()
    world.add(ROLE_POLICY, "added", {"policy": changed(**elements)})

    said = [finding.message for finding in judge(world, "iam-no-broad-statement").findings]

    assert len(said) == int(not clean)
    assert all("without a StringEquals condition on aws:RequestedRegion" in message for message in said)


@pytest.mark.parametrize("blocks", [7, "x", [7], ["x"], [["x"]], [{"policy": 7}]], ids=str)
def test_inline_block_of_any_other_shape_is_a_finding_of_each_rule(blocks: Any) -> None:
    world = recorded()
    world["orders-command-role"].inputs["inlinePolicies"] = blocks

    judged = judge(world, "iam-no-broad-statement", "lambda-role-least-privilege")

    assert judged.rules == ["iam-no-broad-statement", "lambda-role-least-privilege"]
    assert all("cannot be read" in finding.message for finding in judged.findings)


@pytest.mark.parametrize(
    ("rule", "name", "property_name", "value", "resource"),
    [
        ("queue-long-polling", "sales-queue", "receiveWaitTimeSeconds", SECRET, "'sales-queue'"),
        ("iam-no-broad-statement", "orders-command-role", "managedPolicyArns", [7], "'orders-command-role'"),
        ("mapping-within-limits", "sales-consumer-mapping", "batchSize", SECRET, "a resource of this stack"),
    ],
)
def test_property_of_a_shape_no_rule_foresees_is_one_finding_that_tells_no_value(
    rule: str, name: str, property_name: str, value: Any, resource: str
) -> None:
    world = recorded()
    world[name].inputs[property_name] = value

    judged = judge(world, rule)

    (finding,) = judged.findings
    assert finding.message == (
        f"could not be judged: a property of {resource} has a shape that this rule cannot read."
    )


def test_values_of_the_environment_are_never_told() -> None:
    world = recorded("prod")
    for function in ("orders-command", "orders-relay", "sales-consumer"):
        variables = world[f"{function}-function"].inputs["environment"]["variables"]
        world[f"{function}-function"].inputs["environment"]["variables"] = {
            **dict.fromkeys(variables, SECRET),
            "FAULT_AFTER_COMMIT": SECRET,
        }

    judged = judge(world)

    once = ["function-can-run"]  # for the number of shards
    assert judged.rules == ["fault-injection-off"] * 3 + once + ["lambda-role-least-privilege"] * 3
    assert all(SECRET not in finding.message for finding in judged.findings)


def test_document_of_the_largest_size_is_read() -> None:
    document = changed(Sid="A" * 64)
    padded = document + " " * DOCUMENT_MAXIMUM_CHARACTERS

    statements = read_document(padded)

    assert [statement.label for statement in statements] == ["A" * 64]


@pytest.mark.parametrize(
    ("arn", "broad"),
    [
        ("*", True),
        ("arn:*", True),
        ("arn:aws:dynamodb:*:123456789012:table/orders", True),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/*", True),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/ord*", True),
        ("arn:aws:dynamodb:us-east-1:123456789012:*", True),
        ("arn:aws:sqs:us-east-1:123456789012:*", True),
        ("arn:aws:sqs:us-east-1:123456789012:order?", True),
        ("arn:aws:s3:::*", True),
        ("arn:aws:logs:us-east-1:123456789012:log-group:*", True),
        ("arn:aws:logs:us-east-1:123456789012:log-group:*:*", True),
        ("arn:aws:logs:us-east-1:123456789012:log-group:orders:*", False),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/orders/index/*", False),
        ("arn:aws:s3:::bucket/*", False),
        ("arn:aws:sqs:us-east-1:123456789012:orders", False),
        (UNKNOWN, False),
    ],
)
def test_resource_is_broad_when_its_wildcard_goes_beyond_one_named_thing(arn: Any, broad: bool) -> None:
    assert is_broad_resource(arn) is broad


def test_conditions_are_the_same_whatever_their_case_and_order() -> None:
    one = {"StringEquals": {"aws:RequestedRegion": ["a", "b"]}}
    same = {"stringequals": {"AWS:requestedregion": ["b", "a"]}}

    answers = [same_condition(one, same), same_condition(one, None), same_condition(one, UNKNOWN)]

    assert answers == [True, False, False]
