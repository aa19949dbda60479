from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from google.protobuf.empty_pb2 import Empty
from google.protobuf.struct_pb2 import Struct
from pulumi.runtime.proto import analyzer_pb2
from pulumi_policy import EnforcementLevel

from rules import RULES
from tests.policy.judging import BY_NAME
from tests.policy.serving import resource_request, served_pack, stack_request
from tests.policy.worlds import World, recorded
from tests.unit.root_program import ROOT

PACK = ROOT / "policy"
README = (PACK / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pack() -> Iterator[Any]:
    with served_pack() as client:
        yield client


def diagnostics(pack: Any, world: World) -> list[Any]:
    found = [said for made in world for said in pack.Analyze(resource_request(made)).diagnostics]
    return [*found, *pack.AnalyzeStack(stack_request(world)).diagnostics]


def configure(pack: Any, rule: str, level: Any, **options: Any) -> None:
    properties = Struct()
    properties.update(options)
    config = {rule: analyzer_pb2.PolicyConfig(enforcementLevel=level, properties=properties)} if rule else {}
    pack.Configure(analyzer_pb2.ConfigureAnalyzerRequest(policyConfig=config))


def test_served_pack_names_every_rule_with_its_level_remedy_and_options(pack: Any) -> None:
    info = pack.GetAnalyzerInfo(Empty())

    told = {policy.name: policy for policy in info.policies}

    assert info.name == "transactional-outbox"
    assert told.keys() == BY_NAME.keys()
    for name, policy in told.items():
        advisory = name == "iam-role-one-style"
        assert policy.enforcementLevel == (analyzer_pb2.ADVISORY if advisory else analyzer_pb2.MANDATORY)
        assert policy.description.endswith(".")
        assert policy.remediation_steps.endswith(".")
        assert "exempt" in policy.configSchema.properties


@pytest.mark.parametrize("stack", ["dev", "prod"])
def test_served_pack_has_nothing_to_say_of_an_update_of_our_stacks(pack: Any, stack: str) -> None:
    configure(pack, "", 0)

    said = diagnostics(pack, recorded(stack))

    assert said == []


def test_served_pack_says_at_first_preview_only_what_is_checked_on_update(pack: Any) -> None:
    configure(pack, "", 0)

    said = diagnostics(pack, recorded(preview=True))

    assert said != []
    assert {found.enforcementLevel for found in said} == {analyzer_pb2.ADVISORY}
    assert all("checked on update, once known: " in found.message for found in said)


def test_served_pack_rule_is_mandatory_configurable_and_can_be_switched_off(pack: Any) -> None:
    world, rule = recorded(), "logs-retention-one-day"
    world["orders-relay-logs"].inputs["retentionInDays"] = 3

    said = []
    for level, options in (
        (analyzer_pb2.MANDATORY, {}),
        (analyzer_pb2.MANDATORY, {"exempt": ["*-relay-logs"]}),
        (analyzer_pb2.DISABLED, {}),
    ):
        configure(pack, rule, level, **options)
        said.append([found.enforcementLevel for found in diagnostics(pack, world)])

    assert said == [[analyzer_pb2.MANDATORY], [], []]


def test_served_pack_sees_dependencies_and_parents_at_first_preview(pack: Any) -> None:
    configure(pack, "", 0)
    world = recorded(preview=True)
    world["sales-consumer-policy"].refers["policy"].append(world["orders-source"].urn)

    said = [found for found in diagnostics(pack, world) if found.enforcementLevel == analyzer_pb2.MANDATORY]

    assert [found.policyName for found in said] == ["lambda-role-least-privilege"]
    assert said[0].urn == world["sales-consumer-function"].urn


def test_every_rule_has_a_name_of_its_own_and_states_its_level() -> None:
    assert len(BY_NAME) == len(RULES)
    assert {rule.enforcement_level for rule in RULES} == {
        EnforcementLevel.MANDATORY,
        EnforcementLevel.ADVISORY,
    }


def test_readme_lists_every_rule_with_its_level_and_options() -> None:
    rows = {row.split("`")[1]: row for row in README.splitlines() if row.startswith("| `")}

    assert rows.keys() == BY_NAME.keys()
    for name, rule in BY_NAME.items():
        assert rule.enforcement_level is not None
        assert f"| {rule.enforcement_level.value} |" in rows[name]
        assert rule.config_schema is not None
        for option in rule.config_schema.properties.keys() - {"exempt"}:
            assert f"`{option}`" in rows[name]


def test_project_file_sets_runtime_and_virtual_environment() -> None:
    project = yaml.safe_load((PACK / "PulumiPolicy.yaml").read_text(encoding="utf-8"))

    assert project["runtime"] == {"name": "python", "options": {"toolchain": "pip", "virtualenv": ".venv"}}
