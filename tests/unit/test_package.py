"""The components as a package: its public interface, its documentation, and its wheel in other people's folders."""

import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pulumi.errors import InputPropertiesError
from pulumi.provider.server import ComponentInitError

from components import outbox_source
from components.package import VERSION
from plugin.describe import DOCUMENT, PROJECT, SCHEMA, package_schema, schema_text, with_config, with_tables
from plugin.provider import OutboxProvider
from tests.unit import aws_mocks
from tests.unit.aws_mocks import FUNCTION
from tests.wheel import PACKAGES, built_wheel, install
from tools.repository import PROGRAM_DIRECTORY

PROGRAM = """
import json, sys
import pulumi, pulumi_aws
from aws_mocks import AwsMocks
from transactional_outbox import IdempotentConsumer, OutboxSource, Relay

partition, region = sys.argv[1:]
seen = []

class Watching(AwsMocks):
    def new_resource(self, args):
        if args.custom and args.typ.startswith("aws:"):
            code = sorted(args.inputs["code"].assets) if "code" in args.inputs else []
            seen.append([args.typ, args.name, args.provider, code, args.inputs.get("policy", "")])
        return super().new_resource(args)

pulumi.runtime.set_mocks(Watching(partition=partition, region="not-this-one"))

@pulumi.runtime.test
def build():
    elsewhere = pulumi.ResourceOptions(providers=[pulumi_aws.Provider("elsewhere", region=region)])
    for name, own in (("orders", {}), ("payments", {"code": "mine", "handler": "pay.handle"})):
        source = OutboxSource(name, own, elsewhere)
        consumer = IdempotentConsumer(name, own, elsewhere)
        queues = {"queues": [consumer.queue]}
        Relay(name, {"stream_arn": source.stream_arn, **queues}, elsewhere)

build()
print(json.dumps(seen))
"""
"""Two instances of everything, one with handlers of its own, by a provider for another partition."""

TYPED_PROGRAM = """
import pulumi
from outbox.clients import dynamodb_client, sqs_client
from outbox.commit import CommandResult, commit
from outbox.consume import consume
from outbox.effects import Add
from outbox.events import EventType, Projection
from outbox.fields import Text, WholeNumber
from outbox.forward import forward
from outbox.invocation import BatchResponse, LambdaContext, records_of
from outbox.items import Key
from outbox.retry import Backoff
from transactional_outbox import IdempotentConsumer, Monitoring, OutboxSource, Reconciler, Relay

source = OutboxSource("orders", {"reconcile_index": True})
consumer = IdempotentConsumer("orders", {"queue_batch_size": 10}, pulumi.ResourceOptions())
Relay("orders", {"stream_arn": source.stream_arn, "queues": [consumer.queue]})
Monitoring("orders", {"queue_name": consumer.queue_name, "alarm_throttles": 1})
Reconciler("orders", {
    "source_table_name": source.table_name, "index_name": source.index_name, "index_arn": source.index_arn,
    "projection_table_name": consumer.projection_table_name,
    "projection_table_arn": consumer.projection_table_arn,
    "queue_url": consumer.queue_url, "queue_arn": consumer.queue_arn,
})
OutboxSource("orders", {"reconcile_indx": True})  # wrong
IdempotentConsumer("orders", {"queue_batch_size": "10"})  # wrong
Relay("orders", {"stream_arn": source.stream_arn})  # wrong
Monitoring("orders", {"queue_name": consumer.queue_names})  # wrong
Reconciler("orders", {}, opts=pulumi.InvokeOptions())  # wrong

MOVED = EventType("moved", {"to": Text("[a-z]+", "a place"), "pieces": WholeNumber(1, 9)})
LEVELS = Projection({MOVED: lambda event: [Add(Key("PLACE", event.fields["to"]), {"pieces": 1})]})


def move(command: dict[str, str], context: LambdaContext) -> CommandResult:
    event = MOVED.event("moved:1", command)
    state = {"PK": "MOVE#1", "SK": "STATE", **command}
    commit(dynamodb_client(), table="moves", state=state, event=event, backoff=Backoff.within(context))  # wrong
    return commit(
        dynamodb_client(),
        table="moves", state=state, event=event, request_fields=["to"], backoff=Backoff.within(context),
    )


def count(event: object, context: LambdaContext) -> BatchResponse:
    backoff = Backoff.within(context)
    forward(sqs_client(), queue_url="q", records=[], backoff=backoff, function_name="relay")  # wrong
    Add("PLACE", {"pieces": 1})  # wrong
    return consume(
        dynamodb_client(), table="levels", records=records_of(event), parse=LEVELS.parse, backoff=backoff
    )
"""
"""What a user writes with the components and with the library, and what mypy has to refuse in it."""


def test_schema_of_the_components_is_the_stored_one() -> None:
    schema = package_schema()

    assert schema_text(schema) == SCHEMA.read_text("utf-8"), (
        "The public interface has changed: see docs/components.md on versions, then store it with make schema."
    )


def test_package_tells_a_refused_value_in_one_sentence_with_the_names_of_its_schema() -> None:
    with pytest.raises(InputPropertiesError) as refused:
        OutboxProvider().construct(
            "sales",
            "outbox:index:IdempotentConsumer",
            {"queueBatchSize": 20.0, "queueBatchWindowSeconds": 0.0},
        )

    assert refused.value.message == (
        "queueBatchSize must be 1 to 10 without a batch window, but is 20. Set queueBatchWindowSeconds to 1 or more."
    )
    assert refused.value.errors == []  # without a list, the SDK fails to tell anything


def test_package_leaves_other_failures_to_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_source, "require_name", lambda name: 1 / 0)

    with pytest.raises(ComponentInitError, match="division by zero"):
        OutboxProvider().construct("shop", "outbox:index:OutboxSource", {})


def test_project_file_declares_every_setting_as_the_components_do() -> None:
    project = PROJECT.read_text("utf-8")

    assert with_config(project, package_schema()) == project, "Store the settings with make schema."


def test_tables_of_the_document_are_the_schemas() -> None:
    document = DOCUMENT.read_text("utf-8")

    assert with_tables(document, package_schema()) == document, "Write the tables anew with make schema."


def test_every_argument_and_output_is_described() -> None:
    resources = package_schema()["resources"].values()

    undescribed = [
        name
        for resource in resources
        for name, found in {**resource["inputProperties"], **resource["properties"]}.items()
        if not found.get("description")
    ]
    assert len(resources) >= 3
    assert undescribed == []


def test_examples_install_this_checkout_and_ask_no_index_for_its_name() -> None:
    asked = {
        path.parent.name: [
            (path.parent / line).resolve()
            for line in path.read_text("utf-8").splitlines()
            if not line.startswith("#")
        ]
        for path in PROGRAM_DIRECTORY.glob("examples/*/requirements.txt")
    }

    assert asked == {name: [PROGRAM_DIRECTORY] for name in ("inventory", "python")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel and nothing else of this repository."""
    return install(wheel, tmp_path_factory.mktemp("environment") / ".venv")


def test_wheel_has_the_version_of_the_package(wheel: Path) -> None:
    assert wheel.name.startswith(f"transactional_outbox-{VERSION}-")


def test_wheel_has_the_modules_that_there_are_and_none_of_an_earlier_build(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)

    held = {name: archive.read(name) for name in archive.namelist() if "/" in name and name.endswith(".py")}
    assert held == {
        f"{package}/{path.name}": path.read_bytes()
        for package, folder in PACKAGES.items()
        for path in (PROGRAM_DIRECTORY / folder).glob("*.py")
    }


def test_wheel_tells_type_checkers_that_both_packages_are_typed(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()

    assert {"outbox/py.typed", "transactional_outbox/py.typed"} <= set(names)


@pytest.mark.parametrize(("partition", "region"), [("aws-cn", "cn-north-1"), ("aws-us-gov", "us-gov-west-1")])
def test_wheel_in_another_folder_builds_two_instances_by_an_explicit_provider(
    python: Path, tmp_path: Path, partition: str, region: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "pay.py").write_text("def handle(event, context): ...\n", encoding="utf-8")
    program = tmp_path / "program" / "__main__.py"
    program.parent.mkdir()
    program.write_text(PROGRAM, encoding="utf-8")
    shutil.copy(aws_mocks.__file__, program.parent)

    answer = subprocess.run(
        [str(python), str(program), partition, region],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == 0, answer.stderr
    seen = json.loads(answer.stdout)
    assert len({(type_, name) for type_, name, *_ in seen}) == len(seen) == 38
    assert {provider.rpartition("::")[2] for _, _, provider, *_ in seen} == {"elsewhere-id"}
    archives = {name: set(code) for type_, name, _, code, _ in seen if type_ == FUNCTION}
    assert {"command.py", "orders.py", "outbox/commit.py"} <= archives["orders-command-function"]
    assert {"pay.py", "outbox/commit.py"} <= archives["payments-consumer-function"]
    documents = "".join(document for *_, document in seen)
    assert set(re.findall(r"arn:([\w-]+):\w+:([\w-]+):", documents)) == {(partition, region)}


def test_wheel_lets_mypy_find_wrong_arguments_and_nothing_else(
    python: Path, tmp_path: Path, cache: pytest.Cache
) -> None:
    program = tmp_path / "program.py"
    program.write_text(TYPED_PROGRAM, encoding="utf-8")
    # The provider's root has every service of AWS in it: a minute and a half. The reason is in pyproject.toml.
    settings = tmp_path / "mypy.ini"
    settings.write_text("[mypy]\n[mypy-pulumi_aws]\nfollow_imports = skip\n", encoding="utf-8")
    # Kept between runs: only the first one reads Pulumi and the types of boto3, for seconds.
    kept = cache.mkdir("mypy")
    arguments = ["--strict", "--config-file", settings, "--python-executable", python, "--cache-dir", kept]

    answer = subprocess.run(
        [sys.executable, "-m", "mypy", *map(str, arguments), program.name],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    wrong = {n for n, line in enumerate(TYPED_PROGRAM.splitlines(), start=1) if line.endswith("# wrong")}
    found = {int(number) for number in re.findall(r"^program\.py:(\d+): error", answer.stdout, re.MULTILINE)}
    assert found == wrong, answer.stdout + answer.stderr
    assert len(wrong) == 8


def test_wheel_gives_the_library_to_services_outside_lambda(python: Path, tmp_path: Path) -> None:
    answer = subprocess.run(
        [str(python), "-c", "from outbox import commit_changes; print(commit_changes.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == 0, answer.stderr
    assert Path(answer.stdout.strip()).is_relative_to(python.parents[1])
