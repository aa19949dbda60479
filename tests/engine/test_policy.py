"""The policy pack in the engine: clean on our stacks, and it stops what the rules forbid."""

import json
import re
from pathlib import Path
from typing import NamedTuple

import pytest

from outbox_local.clients import Clients
from tests.engine.harness import NOTHING, Stack, edit, findings, standing

RUNS = 5
UNPROVEN = "checked on update"
SHARED_ROLE = """
import json
import pulumi
from pulumi_aws import cloudwatch, iam, lambda_
from components.statements import trust_policy
role = iam.Role("shared", assume_role_policy=json.dumps(trust_policy()))
logs = cloudwatch.LogGroup("shared", retention_in_days=1)
for name in ("first", "second"):
    lambda_.Function(
        name,
        role=role.arn,
        handler="code.handler",
        runtime="python3.14",
        code=pulumi.AssetArchive({"code.py": pulumi.StringAsset("handler = print")}),
        logging_config={"log_format": "Text", "log_group": logs.name},
    )
"""
WHOLE_STREAM_GRANT = "READ_SOURCE_STREAM.on(stream_arn)"


class Forbidden(NamedTuple):
    """One edit of the program that a rule must stop."""

    file: str
    old: str
    new: str
    rule: str
    says: str


@pytest.fixture
def pack(program: Path) -> tuple[str, str]:
    return ("--policy-pack", str(program / "policy"))


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_our_stacks_are_clean_before_and_after_they_exist(
    request: pytest.FixtureRequest, pack: tuple[str, str], name: str
) -> None:
    stack: Stack = request.getfixturevalue(name)

    answers = [stack.preview(*pack), stack.up(*pack), stack.preview("--expect-no-changes", *pack)]

    assert [findings(answer) for answer in answers] == [[], [], []]
    assert all(re.search(r"Polic(ies|y Packs run):", answer.output) for answer in answers)
    assert [UNPROVEN in answer.output for answer in answers] == [True, False, False]


@pytest.mark.parametrize(
    "forbidden",
    [
        Forbidden(
            "components/statements.py",
            '"WriteOrderAndOutbox", ("dynamodb:PutItem",)',
            '"WriteOrderAndOutbox", ("dynamodb:PutItem", "dynamodb:DeleteItem")',
            "lambda-role-least-privilege",
            "must hold exactly its contract",
        ),
        Forbidden(
            "components/lambda_function.py",
            "retention_in_days=limits.LOG_RETENTION_DAYS.read(args)",
            "retention_in_days=2",
            "logs-retention-one-day",
            "must be kept exactly 1 day(s); it is kept 2 days",
        ),
        Forbidden(
            "components/relay.py",
            'function_response_types=["ReportBatchItemFailures"],',
            "",
            "mapping-failure-reporting",
            "must heed reported failures",
        ),
        Forbidden(
            "__main__.py",
            "\nexport_outbox",
            f"\n{SHARED_ROLE}\nexport_outbox",
            "iam-role-one-function",
            "must serve one function",
        ),
    ],
    ids=lambda forbidden: forbidden.rule,
)
def test_first_preview_is_stopped_with_the_rules_sentence(
    dev: Stack, program: Path, clients: Clients, pack: tuple[str, str], forbidden: Forbidden
) -> None:
    edit(program / forbidden.file, forbidden.old, forbidden.new)

    answer = dev.preview(*pack, fails=True)

    assert re.search(rf"\[mandatory\].*{forbidden.rule}", answer.output)
    assert forbidden.says in answer.output.split(forbidden.rule, 1)[1]
    assert standing(clients) == NOTHING


def test_grant_that_is_unknown_before_stops_the_update(
    dev: Stack, program: Path, clients: Clients, pack: tuple[str, str]
) -> None:
    relay = program / "components" / "relay.py"
    edit(relay, WHOLE_STREAM_GRANT, 'READ_SOURCE_STREAM.on(stream_arn.apply(lambda arn: "*"))')

    answer = dev.up(*pack, fails=True)

    assert re.search(r"\[mandatory\].*iam-no-broad-statement", answer.output)
    assert standing(clients)["mappings"] == []


def test_five_runs_give_the_same_findings(dev: Stack, program: Path, pack: tuple[str, str]) -> None:
    edit(program / "components" / "lambda_function.py", "limits.LOG_RETENTION_DAYS.read(args),", "2,")

    runs = [findings(dev.preview(*pack, fails=True)) for _ in range(RUNS)]

    assert len(runs[0]) >= 3
    assert runs == [runs[0]] * RUNS


def test_packs_configuration_is_respected(dev: Stack, pack: tuple[str, str], tmp_path: Path) -> None:
    config = tmp_path / "pack.json"
    config.write_text(json.dumps({"logs-retention-one-day": {"days": 3}}))
    dev.configure("transactional-outbox:logRetentionDays", "3")

    with_default = dev.preview(*pack, fails=True)
    with_config = dev.preview(*pack, "--policy-pack-config", str(config))

    assert "logs-retention-one-day" in with_default.output
    assert findings(with_config) == []
