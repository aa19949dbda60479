"""The components as a package: its public interface, its documentation, and its wheel in other people's folders."""

import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from components.package import VERSION
from plugin.describe import DOCUMENT, SCHEMA, package_schema, schema_text, with_tables
from tests.unit import aws_mocks
from tests.unit.aws_mocks import FUNCTION
from tests.wheel import built_wheel, install

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
        queues = {"queue_urls": [consumer.queue_url], "queue_arns": [consumer.queue_arn]}
        Relay(name, {"stream_arn": source.stream_arn, **queues}, elsewhere)

build()
print(json.dumps(seen))
"""
"""Two instances of everything, one with handlers of its own, by a provider for another partition."""


def test_schema_of_the_components_is_the_stored_one() -> None:
    schema = package_schema()

    assert schema_text(schema) == SCHEMA.read_text("utf-8"), (
        "The public interface has changed: see docs/components.md on versions, then store it with make schema."
    )


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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the wheel and nothing else of this repository."""
    return install(wheel, tmp_path_factory.mktemp("environment") / ".venv")


def test_wheel_has_the_version_of_the_package(wheel: Path) -> None:
    assert wheel.name.startswith(f"transactional_outbox-{VERSION}-")


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
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == 0, answer.stderr
    seen = json.loads(answer.stdout)
    assert len({(type_, name) for type_, name, *_ in seen}) == len(seen) == 36
    assert {provider.rpartition("::")[2] for _, _, provider, *_ in seen} == {"elsewhere-id"}
    archives = {name: set(code) for type_, name, _, code, _ in seen if type_ == FUNCTION}
    assert {"command.py", "orders.py", "outbox/commit.py"} <= archives["orders-command-function"]
    assert {"pay.py", "outbox/commit.py"} <= archives["payments-consumer-function"]
    documents = "".join(document for *_, document in seen)
    assert set(re.findall(r"arn:([\w-]+):\w+:([\w-]+):", documents)) == {(partition, region)}


def test_wheel_gives_the_library_to_services_outside_lambda(python: Path, tmp_path: Path) -> None:
    answer = subprocess.run(
        [str(python), "-c", "from outbox import commit_changes; print(commit_changes.__file__)"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert answer.returncode == 0, answer.stderr
    assert Path(answer.stdout.strip()).is_relative_to(python.parents[1])
