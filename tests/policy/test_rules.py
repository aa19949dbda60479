import pytest

from tests.policy.case import Case
from tests.policy.cases_of_access import ACCESS
from tests.policy.cases_of_settings import SETTINGS
from tests.policy.judging import BY_NAME, judge
from tests.policy.worlds import recorded

CASES = (*ACCESS, *SETTINGS)
EACH = pytest.mark.parametrize("case", CASES, ids=[case.rule for case in CASES])


def test_cases_of_all_rules_are_there() -> None:
    assert sorted(case.rule for case in CASES) == sorted(BY_NAME)


@EACH
def test_rule_compliant_stack_says_nothing(case: Case) -> None:
    world = recorded(case.stack)

    judged = judge(world, case.rule)

    assert (judged.findings, judged.pending) == ([], [])


@EACH
def test_rule_violation_is_one_finding_that_names_resource_and_remedy(case: Case) -> None:
    world = recorded(case.stack)
    case.breaks(world)

    judged = judge(world, case.rule)

    (finding,) = judged.findings
    assert finding.resource == case.named
    assert finding.resource in finding.message
    assert case.says in finding.message
    assert finding.message.endswith(".")
    assert judged.pending == []


@EACH
def test_rule_missing_property_is_judged_as_what_aws_makes_of_it(case: Case) -> None:
    world = recorded(case.stack)
    case.missing(world)

    judged = judge(world, case.rule)

    assert len(judged.findings) == case.missing_findings
    assert judged.pending == []


@EACH
def test_rule_unknown_property_is_a_finding_or_one_advisory_line(case: Case) -> None:
    world = recorded(case.stack)
    case.unknown(world)

    judged = judge(world, case.rule)

    assert len(judged.findings) == case.unknown_findings
    assert len(judged.pending) == int(not case.unknown_findings)
    assert all("checked on update" in report.message for report in judged.pending)


@EACH
def test_rule_configured_to_accept_the_violation_says_nothing(case: Case) -> None:
    world = recorded(case.stack)
    case.breaks(world)

    judged = judge(world, case.rule, config=case.allowed)

    assert judged.findings == []


@EACH
def test_rule_exempt_resource_is_left_alone(case: Case) -> None:
    world = recorded(case.stack)
    case.breaks(world)

    judged = judge(world, case.rule, config={"exempt": [f"{case.named[:-1]}?"]})

    assert judged.findings == []
