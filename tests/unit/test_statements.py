"""Policy documents, built without Pulumi."""

import pytest

from components.statements import Grant, discover_streams, policy_document, region_of, streams_of

GROUP = "arn:aws-cn:logs:cn-north-1:123456789012:log-group:g"


def test_grant_on_a_resource_is_an_allow_statement() -> None:
    grant = Grant("WriteRows", ("dynamodb:PutItem", "dynamodb:UpdateItem"))

    statement = grant.on("some-arn")

    assert statement == {
        "Sid": "WriteRows",
        "Effect": "Allow",
        "Action": ["dynamodb:PutItem", "dynamodb:UpdateItem"],
        "Resource": "some-arn",
    }


def test_g7_discovering_streams_is_bound_to_one_region() -> None:
    assert discover_streams("ap-south-1") == {
        "Sid": "DiscoverStreams",
        "Effect": "Allow",
        "Action": ["dynamodb:ListStreams"],
        "Resource": "*",
        "Condition": {"StringEquals": {"aws:RequestedRegion": "ap-south-1"}},
    }


def test_policy_document_keeps_the_order_of_its_statements() -> None:
    first, second = Grant("First", ("a:B",)).on("x"), Grant("Second", ("c:D",)).on("y")

    assert policy_document([first, second]) == {"Version": "2012-10-17", "Statement": [first, second]}


@pytest.mark.parametrize("arn", [GROUP, f"{GROUP}:*"])
def test_log_group_arn_ends_once_in_its_streams(arn: str) -> None:
    assert streams_of(arn) == f"{GROUP}:*"


def test_h2_region_is_read_from_the_arn() -> None:
    assert region_of("arn:aws-eusc:dynamodb:eusc-de-east-1:123456789012:table/t/stream/s") == "eusc-de-east-1"
