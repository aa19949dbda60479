"""The findings as JSON and as the table of docs/guarantees.md."""

from typing import Any

from ops.rights.run import Findings, Right

BEGIN = "<!-- rights: written by `make rights` -->"
END = "<!-- end of rights -->"

# What AWS does, in words, where the table's "fails at" does not explain itself.
REMARKS = {
    "logs:CreateLogStream": "the function works; lines of the time without it are gone",
    "logs:PutLogEvents": "the function works; lines of the time without it are gone",
    "dynamodb:ListStreams": "creation refuses the mapping; locally, a mapping that starts fails",
    "sqs:GetQueueAttributes": "creation refuses the mapping; locally, a mapping that starts fails",
    "sqs:SendMessage (ReportFailedRecords)": "its pointer is lost; the row stays, and `outbox reconcile` names it",
    "sqs:DeleteMessage": "every redelivery is ignored as a duplicate, then dead-lettered",
}
WAITS = "nothing is lost: it waits, and completes when the right is back"


def as_json(findings: Findings) -> dict[str, dict[str, Any]]:
    """For each function its actions, each with whether it is needed and how often it was used."""
    functions: dict[str, dict[str, Any]] = {}
    for right in findings.rights:
        functions.setdefault(right.function, {})[right.action] = {"needed": right.needed, "used": right.used}
    return functions


def table(findings: Findings) -> str:
    """A Markdown table, one right a line; it says nothing that differs from run to run."""
    lines = ["| function | right taken away | the flow fails at | and |", "|---|---|---|---|"]
    lines += [_line(right) for right in findings.rights]
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


def _line(right: Right) -> str:
    step = right.fails_at if right.needed else "**nothing: it is not needed**"
    return f"| {right.function} | `{right.action}` | {step} | {REMARKS.get(right.action, WAITS)} |"
