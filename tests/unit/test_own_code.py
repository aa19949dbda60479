"""Variables and rights that users give their own code: they reach function, document and grants, or are refused."""

import re
from typing import Any

import pulumi
import pytest

from components.idempotent_consumer import IdempotentConsumer
from components.own_code import COMPONENT_SIDS, COMPONENT_VARIABLES, require_own_code
from components.validation import InvalidSettingError
from tests.unit.aws_mocks import FUNCTION, ROLE, TABLE
from tests.unit.builders import build, run_component, run_consumer
from tests.unit.recording import LAMBDA_FUNCTION, Recording, refused, run, statements
from tests.unit.root_program import run_root

TOPIC = "arn:aws:sns:eu-west-1:123456789012:sales"  # of another region, which SNS allows
STATEMENT = {"sid": "Announce", "actions": ["sns:Publish"], "resources": [TOPIC]}
WITH_FUNCTION = ("OutboxSource", "Relay", "IdempotentConsumer", "Reconciler")


def variables(recording: Recording) -> dict[str, Any]:
    (function,) = recording.of_type(FUNCTION)
    found: dict[str, Any] = function.inputs["environment"]["variables"]
    return found


def test_own_variable_stands_beside_the_components_and_may_be_an_output() -> None:
    before = variables(run_consumer())

    def program() -> None:
        given: dict[str, pulumi.Input[str]] = {"CURRENCY": "EUR", "TOPIC": pulumi.Output.from_input(TOPIC)}
        IdempotentConsumer("sales", {"environment": given})

    after = variables(run(program))

    assert after == {**before, "CURRENCY": "EUR", "TOPIC": TOPIC}


def test_own_statement_is_in_the_document_and_in_the_declared_grants() -> None:
    recording = run_consumer(statements=[STATEMENT])

    (component,) = recording.of_type(LAMBDA_FUNCTION)
    assert statements(recording, "sales-consumer")["Announce"] == {
        "Sid": "Announce",
        "Effect": "Allow",
        "Action": ["sns:Publish"],
        "Resource": [TOPIC],
    }
    assert recording.component_outputs[component.urn]["grants"]["Announce"] == ["sns:Publish"]


@pytest.mark.parametrize("component", WITH_FUNCTION)
def test_every_component_with_a_function_takes_both_and_refuses_wrong_ones(component: str) -> None:
    recording = run_component(component, environment={"CURRENCY": "EUR"}, statements=[STATEMENT])

    registered = refused(build(component, environment={"CURRENCY": 5}))

    assert variables(recording)["CURRENCY"] == "EUR"
    assert registered == []


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ("CURRENCY=EUR", "environment must be a dictionary of names and texts, but is 'CURRENCY=EUR'."),
        ({"CURRENCY": 5}, "environment has 5 (int) for CURRENCY. It must be text, or an output."),
        ({"AWS_REGION": "x"}, "must not begin with AWS_ or LAMBDA_, which Lambda keeps for itself"),
        ({"X": "x"}, "A name must be a letter and then letters, digits or _"),
        ({"my-topic": "x"}, "environment has the name 'my-topic'"),
        ({"QUEUE_URL": "x"}, "environment has QUEUE_URL, which the components set themselves."),
    ],
)
def test_wrong_variables_are_refused_in_a_sentence(environment: Any, sentence: str) -> None:
    with pytest.raises(InvalidSettingError, match=re.escape(sentence)):
        require_own_code({"environment": environment})


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("sns:Publish", "statements must be a list"),
        (["sns:Publish"], "Each of statements must have sid, actions, resources, but one has 'sns:Publish'."),
        ([{"sid": "A", "actions": ["sns:Publish"]}], "but one has sid, actions."),
        ([STATEMENT | {"sid": "with space"}], "must be letters and digits, but is 'with space'"),
        ([STATEMENT, STATEMENT], "statements has the sid Announce twice, or it is the component's own."),
        ([STATEMENT | {"sid": "WriteFunctionLogs"}], "statements has the sid WriteFunctionLogs twice, or"),
        ([STATEMENT | {"actions": "sns:Publish"}], "actions of the statement Announce must be a list"),
        ([STATEMENT | {"actions": []}], "actions of the statement Announce must name at least one."),
        ([STATEMENT | {"actions": ["Publish"]}], "It must be a service and an action, such as sns:Publish."),
        ([STATEMENT | {"resources": ["sales"]}], "It must be an ARN, an output of one, or *."),
    ],
)
def test_wrong_statements_are_refused_in_a_sentence(given: Any, sentence: str) -> None:
    with pytest.raises(InvalidSettingError, match=re.escape(sentence)):
        require_own_code({"statements": given})


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_names_that_components_use_are_known_so_that_no_own_one_can_replace_them(stack: str) -> None:
    recording = run_root(stack)

    for function in recording.of_type(FUNCTION):
        assert function.inputs["environment"]["variables"].keys() <= COMPONENT_VARIABLES
    for component in recording.of_type(LAMBDA_FUNCTION):
        assert recording.component_outputs[component.urn]["grants"].keys() <= COMPONENT_SIDS


def test_layers_tracing_vpc_and_boundary_reach_function_and_role_with_the_rights_that_they_take() -> None:
    boundary = "arn:aws:iam::123456789012:policy/boundary"
    vpc = {"subnet_ids": ["subnet-1"], "security_group_ids": ["sg-1"]}

    recording = run_consumer(
        layers=["arn:aws:lambda:us-east-1:123456789012:layer:l:1"],
        tracing=True,
        vpc=vpc,
        permissions_boundary=boundary,
    )

    (function,), (role,) = recording.of_type(FUNCTION), recording.of_type(ROLE)
    granted = statements(recording, "sales-consumer")
    assert role.inputs["permissionsBoundary"] == boundary
    assert function.inputs["layers"] == ["arn:aws:lambda:us-east-1:123456789012:layer:l:1"]
    assert function.inputs["tracingConfig"] == {"mode": "Active"}
    assert function.inputs["vpcConfig"] == {"subnetIds": ["subnet-1"], "securityGroupIds": ["sg-1"]}
    assert granted["WriteTraces"]["Action"] == ["xray:PutTraceSegments", "xray:PutTelemetryRecords"]
    assert "ec2:CreateNetworkInterface" in granted["ConnectToVpc"]["Action"]


def test_function_without_them_has_none_of_them() -> None:
    recording = run_consumer()

    (function,), (role,) = recording.of_type(FUNCTION), recording.of_type(ROLE)
    assert {"layers", "tracingConfig", "vpcConfig"}.isdisjoint(function.inputs)
    assert "permissionsBoundary" not in role.inputs
    assert {"WriteTraces", "ConnectToVpc"}.isdisjoint(statements(recording, "sales-consumer"))


@pytest.mark.parametrize("component", ["OutboxSource", "IdempotentConsumer"])
def test_point_in_time_recovery_reaches_the_table(component: str) -> None:
    recordings = run_component(component), run_component(component, point_in_time_recovery=True)

    found = [each.of_type(TABLE)[0].inputs.get("pointInTimeRecovery") for each in recordings]
    assert found == [None, {"enabled": True}]
