"""The findings as JSON and as the table of docs/guarantees.md."""

from collections import Counter
from typing import Any

from tools.rights.run import Findings, Right

BEGIN = "<!-- rights: written by `make rights` -->"
END = "<!-- end of rights -->"

# What AWS does, in words, by action or statement, where the table's "fails at" does not explain itself.
REMARKS = {
    "logs:CreateLogStream": "the function works; lines of the time without it are gone",
    "logs:PutLogEvents": "the function works; lines of the time without it are gone",
    "dynamodb:ListStreams": "creation refuses the mapping; locally, a mapping that starts fails",
    "sqs:GetQueueAttributes": "creation refuses the mapping; locally, a mapping that starts fails",
    "ReportFailedRecords": "its pointer is lost; the row stays, and `outbox reconcile` names it",
    "sqs:DeleteMessage": "every redelivery is ignored as a duplicate, then dead-lettered",
}
WAITS = "nothing is lost: it waits, and completes when the right is back"


def as_json(findings: Findings) -> dict[str, dict[str, Any]]:
    """For each function its IAM actions, each with whether it is needed and how often it was used.

    An action that several statements allow is needed if each of them is, and was used as often as all of them.
    """
    functions: dict[str, dict[str, Any]] = {}
    for right in findings.rights:
        action = functions.setdefault(right.function, {}).setdefault(
            right.action, {"needed": True, "used": 0}
        )
        action["needed"] &= right.needed
        action["used"] += right.used
    return functions


def table(findings: Findings) -> str:
    """A Markdown table, one right a line; it says nothing that differs from run to run."""
    times = Counter((right.function, right.action) for right in findings.rights)
    lines = ["| function | right taken away | the flow fails at | and |", "|---|---|---|---|"]
    lines += [
        _line(right, names_statement=times[right.function, right.action] > 1) for right in findings.rights
    ]
    return "\n".join(lines) + "\n"


def with_table(document: str, table: str) -> str:
    """The document with the table between its two marks.

    Raises:
        ValueError: The marks are not there.
    """
    before, begin, rest = document.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document lacks the lines {BEGIN} and {END}, between which the table belongs")
    return f"{before}{BEGIN}\n\n{table}\n{END}{after}"


def _line(right: Right, *, names_statement: bool) -> str:
    name = f"`{right.action}`" + (f" of `{right.statement}`" if names_statement else "")
    step = right.fails_at if right.needed else "**nothing: it is not needed**"
    remark = REMARKS.get(right.statement, REMARKS.get(right.action, WAITS))
    return f"| {right.function} | {name} | {step} | {remark} |"
