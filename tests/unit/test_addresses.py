"""Values that must name one resource or one region: different ones are refused, equal ones taken."""

import itertools
import sys
from collections.abc import Mapping
from typing import Any

import pulumi
import pytest

from components.validation import InvalidSettingError
from tests.unit.builders import COMPLETE, QUEUE_ARN, STREAM_ARN, build, run_reconciler, run_relay
from tests.unit.recording import refused, run

ACCOUNT = "123456789012"
PLACES = [("us-east-1", ACCOUNT), ("eu-west-1", ACCOUNT), ("us-east-1", "210987654321")]
QUEUE_NAMES = ["q", "q2", "q.fifo"]
HOSTS = ["sqs.{}.amazonaws.com", "{}.queue.amazonaws.com", "vpce-0a-b.sqs.{}.vpce.amazonaws.com"]
QUEUES = [(region, account, name) for (region, account) in PLACES for name in QUEUE_NAMES]
TOPIC = "arn:aws:sns:us-east-1:123456789012:on-call"

Given = Mapping[str, Any]


def queue_arn(region: str, account: str, name: str) -> str:
    return f"arn:aws:sqs:{region}:{account}:{name}"


def queue_url(host: str, queue: tuple[str, str, str]) -> str:
    return f"https://{host.format(queue[0])}/{queue[1]}/{queue[2]}"


def as_outputs(value: Any) -> Any:
    """The same value as a program has it that takes it from a resource."""
    if isinstance(value, list):
        return [as_outputs(each) for each in value]
    return value if value is None else pulumi.Output.from_input(value)


def test_relay_takes_a_url_and_an_arn_only_of_one_standard_queue_of_the_streams_region() -> None:
    tried = 0
    for host, url, arn in itertools.product(HOSTS, QUEUES, QUEUES):
        given: Given = {
            "queues": [{"url": queue_url(host, url), "arn": queue_arn(*arn)}],
        }
        works = url == arn and not arn[2].endswith(".fifo") and arn[0] == STREAM_ARN.split(":")[3]
        tried += 1
        try:
            run(build("Relay", **given)) if works else build("Relay", **given)()
        except InvalidSettingError:
            assert not works, given
        else:
            assert works, given
    sys.stdout.write(f"{tried} pairs\n")
    assert tried >= 243


QUEUE = {"url": "https://q.test/q", "arn": QUEUE_ARN}
WRONG: list[tuple[str, Given, str]] = [
    (
        "Relay",
        {"queues": [QUEUE | {"url": "https://q.test/other"}]},
        "which is another queue. Give the URL and the ARN",
    ),
    (
        "Relay",
        {"queues": [QUEUE | {"arn": QUEUE_ARN.replace("us-east-1", "eu-west-1")}]},
        "queues has .* of eu-west-1, and stream_arn has .* of us-east-1",
    ),
    (
        "Relay",
        {"queues": [QUEUE | {"arn": QUEUE_ARN.replace("aws", "aws-cn")}]},
        "Give those of one region and partition",
    ),
    (
        "Relay",
        {"queues": [QUEUE, QUEUE]},
        "queues has .* 2 times. Give it once",
    ),
    ("Reconciler", {"queue_url": "https://q.test/other"}, "queue_url has .* which is another queue"),
    ("Reconciler", {"index_name": "other"}, "index_name is 'other' .* another index"),
    ("Reconciler", {"source_table_name": "other"}, "source_table_name is 'other' .* another table"),
    ("Reconciler", {"projection_table_name": "other"}, "projection_table_name is 'other' .* another table"),
    *(
        (
            "Reconciler",
            {field: COMPLETE["Reconciler"][field].replace("us-east-1", "eu-west-1")},
            "Give those of one region",
        )
        for field in ("index_arn", "projection_table_arn", "queue_arn")
    ),
    (
        "Monitoring",
        {"consumer_function_name": "f", "relay_function_name": "f"},
        "relay_function_name, .*'f' 2 times",
    ),
    ("Monitoring", {"queue_name": "q", "dead_letter_queue_name": "q"}, "queue_name, .*'q' 2 times"),
    ("Monitoring", {"alarm_topic_arns": [TOPIC, TOPIC]}, "alarm_topic_arns has .* 2 times"),
    (
        "Monitoring",
        {"alarm_topic_arns": [TOPIC, TOPIC.replace("us-east-1", "eu-west-1")]},
        "Give those of one region",
    ),
]


@pytest.mark.parametrize(("component", "given", "sentence"), WRONG)
def test_values_that_do_not_agree_are_refused_before_any_resource(
    component: str, given: Given, sentence: str
) -> None:
    with pytest.raises(InvalidSettingError, match=sentence):
        run(build(component, **given))

    assert refused(build(component, **given)) == []


@pytest.mark.parametrize(("component", "given", "sentence"), WRONG)
def test_values_that_do_not_agree_are_refused_when_they_are_known(
    component: str, given: Given, sentence: str
) -> None:
    def program() -> object:  # an output needs the run's event loop
        return build(
            component, **{name: as_outputs(value) for name, value in {**COMPLETE[component], **given}.items()}
        )()

    registered = refused(program)

    assert not [name for name in registered if name.endswith(("-function", "-mapping", "-dashboard"))]


def test_tables_and_queue_of_another_region_than_the_reconcilers_are_refused() -> None:
    elsewhere = {
        field: value.replace("us-east-1", "eu-west-1")
        for field, value in COMPLETE["Reconciler"].items()
        if field.endswith("_arn")
    }

    with pytest.raises(ValueError, match=r"WriteFunctionLogs has .* of us-east-1\. Give those"):
        run_reconciler(**elsewhere)


@pytest.mark.parametrize("name", ["t", "arn:aws:dynamodb:us-east-1:123456789012:table/t"])
def test_table_may_be_named_by_its_arn(name: str) -> None:
    run_reconciler(source_table_name=name)


def test_queue_of_another_account_is_taken() -> None:
    run_relay(queues=[QUEUE | {"arn": QUEUE_ARN.replace(ACCOUNT, "210987654321")}])
