"""Every right of every function is needed and used: shown on the local AWS, and told in docs/guarantees.md."""

import pytest

from tests.taken import taken
from tools.rights.__main__ import GUARANTEES_PATH, run_rights
from tools.rights.documents import allowed_actions, without
from tools.rights.report import BEGIN, END, as_json, table, with_table
from tools.rights.run import Findings, Right

SECONDS_MOST_ON_A_BUSY_MACHINE = 600

DOCUMENT = {
    "Version": "2012-10-17",
    "Statement": [
        {"Sid": "A", "Effect": "Allow", "Action": ["sqs:SendMessage", "sqs:ReceiveMessage"], "Resource": "q"},
        {"Sid": "B", "Effect": "Allow", "Action": "sqs:SendMessage", "Resource": "r"},
    ],
}


@pytest.mark.thorough
def test_rights_are_each_needed_and_used_and_the_guarantees_say_so() -> None:
    with taken("rights", seconds_most=SECONDS_MOST_ON_A_BUSY_MACHINE, seconds_most_on_an_idle_one=120):
        findings = run_rights()

    assert [f"{each.function} {each.action}" for each in findings.rights if not each.needed] == []
    assert (findings.used_but_not_granted, findings.granted_but_not_used) == ([], [])
    assert findings.ok
    counts = {function: len(actions) for function, actions in as_json(findings).items()}
    assert counts == {"command": 3, "relay": 7, "consumer": 7, "reconciler": 5}
    document = GUARANTEES_PATH.read_text()
    assert document == with_table(document, table(findings)), "run `make rights` and look at what it changed"


def test_document_without_an_action_lacks_it_in_every_statement() -> None:
    left = without(DOCUMENT, "sqs:SendMessage")

    assert allowed_actions(left) == ["sqs:ReceiveMessage"]
    assert [statement["Sid"] for statement in left["Statement"]] == ["A"]
    assert allowed_actions(DOCUMENT) == ["sqs:SendMessage", "sqs:ReceiveMessage"]


def test_findings_with_a_right_nobody_missed_are_not_ok() -> None:
    missed = Right("relay", "sqs:SendMessage", fails_at="the event is put on the queue", refused=1, used=3)
    unmissed = Right("relay", "sqs:ReceiveMessage", refused=0, used=0)

    findings = Findings([missed, unmissed])

    assert Findings([missed]).ok
    assert not findings.ok
    assert "**nothing: it is not needed**" in table(findings)


def test_findings_of_two_statements_are_one_iam_action_in_json_and_two_lines_in_the_table() -> None:
    forward = Right("relay", "sqs:SendMessage", "Forward", fails_at="sending", refused=1, used=3)
    report = Right("relay", "sqs:SendMessage", "Report", fails_at="reporting", refused=1, used=2)
    log = Right("relay", "logs:PutLogEvents", "Log", fails_at="telling", refused=1, used=1)

    findings = Findings([forward, report, log])

    assert as_json(findings)["relay"] == {
        "sqs:SendMessage": {"needed": True, "used": 5},
        "logs:PutLogEvents": {"needed": True, "used": 1},
    }
    assert [line.split(" | ")[1] for line in table(findings).splitlines()[2:]] == [
        "`sqs:SendMessage` of `Forward`",
        "`sqs:SendMessage` of `Report`",
        "`logs:PutLogEvents`",
    ]


def test_findings_of_two_statements_one_of_them_unneeded_are_not_needed() -> None:
    forward = Right("relay", "sqs:SendMessage", "Forward", fails_at="sending", refused=1, used=3)
    report = Right("relay", "sqs:SendMessage", "Report", refused=1, used=2)

    assert not as_json(Findings([forward, report]))["relay"]["sqs:SendMessage"]["needed"]


@pytest.mark.parametrize("broken", ["used_but_not_granted", "granted_but_not_used"])
def test_findings_with_used_other_than_granted_are_not_ok(broken: str) -> None:
    needed = Right("relay", "sqs:SendMessage", fails_at="the event is put on the queue", refused=1, used=3)

    findings = Findings([needed], **{broken: ["relay sqs:SendMessage"]})

    assert not findings.ok


def test_table_goes_between_its_marks_and_nowhere_else() -> None:
    document = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    changed = with_table(document, "new\n")

    assert changed == f"before\n{BEGIN}\n\nnew\n\n{END}\nafter\n"
    with pytest.raises(ValueError, match="lacks the lines"):
        with_table("no marks", "new\n")
