"""Answers of the AWS provider's stand-in before anything is made; the rest needs the engine."""

from collections.abc import Mapping
from typing import Any

import pytest
from pulumi.runtime.proto import provider_pb2

from engine.provider import FILLED_IN, AwsProvider, ProviderConfigurationError, local_endpoint
from engine.values import UNKNOWN, decode, encode
from outbox_local.clients import Endpoint

QUEUE = "aws:sqs/queue:Queue"
TABLE = "aws:dynamodb/table:Table"


class AbortedError(Exception):
    """Raised as gRPC does when a call is refused."""


class Context:
    """The context of a call that notes how it was refused."""

    def abort(self, code: object, details: str) -> None:
        raise AbortedError(details)


@pytest.fixture
def provider() -> AwsProvider:
    return AwsProvider(Endpoint.with_new_keys("http://127.0.0.1:9", ""))


def check(provider: AwsProvider, pulumi_type: str, news: Mapping[str, Any], **old: Any) -> Any:
    request = provider_pb2.CheckRequest(
        type=pulumi_type, name="thing", news=encode(news), olds=encode(old), randomSeed=b"seed"
    )
    return provider.Check(request, Context())


def diff(provider: AwsProvider, pulumi_type: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> Any:
    request = provider_pb2.DiffRequest(type=pulumi_type, old_inputs=encode(old), news=encode(new))
    return provider.Diff(request, Context())


def test_name_is_made_once_and_kept(provider: AwsProvider) -> None:
    first = decode(check(provider, QUEUE, {}).inputs)
    again = decode(check(provider, QUEUE, {}, **first).inputs)

    assert first["name"].startswith("thing-")
    assert first[FILLED_IN] == ["name"]
    assert again == first


def test_given_name_is_left_and_its_removal_makes_a_new_one(provider: AwsProvider) -> None:
    given = decode(check(provider, QUEUE, {"name": "mine"}).inputs)
    removed = decode(check(provider, QUEUE, {}, **given).inputs)

    assert given == {"name": "mine"}
    assert removed["name"].startswith("thing-")


def test_missing_required_property_is_named(provider: AwsProvider) -> None:
    answer = check(provider, TABLE, {"hashKey": "PK"})

    assert [(each.property, each.reason) for each in answer.failures] == [
        ("attributes", "Missing required property 'attributes'.")
    ]


@pytest.mark.parametrize(
    ("pulumi_type", "inputs", "message"),
    [
        ("aws:s3/bucket:Bucket", {}, r"thing: The local AWS does not know the resource type 'aws:s3/bucket"),
        (QUEUE, {"colour": "red"}, r"thing: aws:sqs/queue:Queue: .* property 'colour'"),
    ],
)
def test_unknown_type_or_property_is_refused_in_a_sentence(
    provider: AwsProvider, pulumi_type: str, inputs: dict[str, str], message: str
) -> None:
    with pytest.raises(AbortedError, match=message):
        check(provider, pulumi_type, inputs)


def test_same_inputs_are_no_difference_whatever_the_provider_noted(provider: AwsProvider) -> None:
    answer = diff(provider, QUEUE, {"name": "a", FILLED_IN: ["name"]}, {"name": "a", "tags": None})

    assert answer.changes == provider_pb2.DiffResponse.DIFF_NONE


@pytest.mark.parametrize(
    ("new", "diffs", "replaces", "delete_first"),
    [
        ({"name": "a", "rangeKey": "SK", "billingMode": "PROVISIONED"}, ["billingMode"], [], False),
        ({"name": "a", "rangeKey": "OTHER"}, ["rangeKey"], ["rangeKey"], True),
        ({"name": "b", "rangeKey": "SK"}, ["name"], ["name"], False),
        ({"name": "a", "rangeKey": UNKNOWN}, ["rangeKey"], ["rangeKey"], True),
    ],
)
def test_difference_names_what_changed_and_what_replaces(
    provider: AwsProvider, new: dict[str, str], diffs: list[str], replaces: list[str], delete_first: bool
) -> None:
    answer = diff(provider, TABLE, {"name": "a", "rangeKey": "SK"}, new)

    assert (answer.changes, list(answer.diffs)) == (provider_pb2.DiffResponse.DIFF_SOME, diffs)
    assert (list(answer.replaces), answer.deleteBeforeReplace) == (replaces, delete_first)


def test_preview_of_a_new_resource_keeps_what_is_known_and_leaves_the_rest_unknown(
    provider: AwsProvider,
) -> None:
    given = encode({"name": "a", "tags": None})
    request = provider_pb2.CreateRequest(type=QUEUE, preview=True, properties=given)

    answer = provider.Create(request, Context())

    assert decode(answer.properties) == {"name": "a", "arn": UNKNOWN, "url": UNKNOWN}
    assert answer.id == ""


@pytest.mark.parametrize(("view", "stream"), [("KEYS_ONLY", UNKNOWN), ("NEW_IMAGE", "arn-of-the-stream")])
def test_preview_of_a_changed_stream_leaves_its_arn_unknown_and_no_other(
    provider: AwsProvider, view: str, stream: str
) -> None:
    old = {"streamEnabled": True, "streamViewType": "NEW_IMAGE"}
    state = old | {"arn": "arn-of-the-table", "streamArn": "arn-of-the-stream"}
    request = provider_pb2.UpdateRequest(
        type=TABLE,
        preview=True,
        olds=encode(state),
        old_inputs=encode(old),
        news=encode(old | {"streamViewType": view, "billingMode": "PAY_PER_REQUEST"}),
    )

    properties = decode(provider.Update(request, Context()).properties)

    assert (properties["arn"], properties["streamArn"]) == ("arn-of-the-table", stream)


@pytest.mark.parametrize(
    "endpoint_url", [None, "", "https://sqs.example.com", "http://10.0.0.1:4566", "127.0.0.1"]
)
def test_anything_but_the_local_aws_is_refused(endpoint_url: str | None) -> None:
    environment = {} if endpoint_url is None else {"AWS_ENDPOINT_URL": endpoint_url}

    with pytest.raises(
        ProviderConfigurationError, match=r"AWS_ENDPOINT_URL must be the local AWS at .*, but is"
    ):
        local_endpoint(environment)


@pytest.mark.parametrize("missing", ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"])
def test_local_aws_without_its_keys_is_refused(missing: str) -> None:
    environment = Endpoint.with_new_keys("http://127.0.0.1:4566", "").environment
    del environment[missing]

    with pytest.raises(ProviderConfigurationError, match=f"^{missing} is not set"):
        local_endpoint(environment)


def test_look_up_is_refused_with_the_way_out(provider: AwsProvider) -> None:
    request = provider_pb2.InvokeRequest(tok="aws:index/getCallerIdentity:getCallerIdentity")

    with pytest.raises(AbortedError, match=r"answers no look-ups.*getCallerIdentity.*resource's output"):
        provider.Invoke(request, Context())


def test_provider_without_a_region_is_refused(provider: AwsProvider) -> None:
    answer = provider.CheckConfig(provider_pb2.CheckRequest(news=encode({})), Context())

    assert [each.property for each in answer.failures] == ["region"]
    assert "aws:region" in answer.failures[0].reason
