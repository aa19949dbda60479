"""`python -m tools.rights`: takes each right away; writes build/rights.json and the table of docs/guarantees.md."""

import json
import logging
import sys
import time

from outbox_cli.errors import OperatorError
from outbox_cli.stack.deployed import FUNCTIONS, RECONCILER, stack_of
from outbox_local.emulator import reserve_port
from outbox_local.environment import run_local_aws
from outbox_local.errors import LocalAwsError
from outbox_local.program import read_stack_config
from tools.repository import PROGRAM_DIRECTORY
from tools.rights import healing, reporting
from tools.rights.healing import Healing
from tools.rights.report import as_json, table, with_table
from tools.rights.reporting import Reporting
from tools.rights.run import Findings, Right, Rights

STACK = "dev"
SPEED = 60.0
JSON_PATH = PROGRAM_DIRECTORY / "build" / "rights.json"
GUARANTEES_PATH = PROGRAM_DIRECTORY / "docs" / "guarantees.md"


def run_rights() -> Findings:
    """Run on a local AWS of its own.

    Raises:
        LocalAwsError: The local AWS did not start, or the stack could not be deployed.
        OperatorError: The flow does not complete with all rights restored.
    """
    config = read_stack_config(PROGRAM_DIRECTORY, STACK, {})
    with run_local_aws(reserve_port(0), config, PROGRAM_DIRECTORY, speed=SPEED) as aws:
        findings = Rights(stack_of(aws, STACK), aws.clients.endpoint, _tell).run()
    config = read_stack_config(PROGRAM_DIRECTORY, STACK, reporting.SETTINGS)
    with run_local_aws(reserve_port(0), config, PROGRAM_DIRECTORY, speed=SPEED) as aws:
        reported = Reporting(stack_of(aws, STACK), aws.clients.endpoint).run()
    for right in reported.rights:
        _tell(right)
    config = read_stack_config(PROGRAM_DIRECTORY, STACK, healing.SETTINGS)
    with run_local_aws(reserve_port(0), config, PROGRAM_DIRECTORY, speed=SPEED) as aws:
        resent = Healing(stack_of(aws, STACK), aws.clients.endpoint, _tell).run()
    parts = (findings, reported, resent)
    functions = (*FUNCTIONS, RECONCILER)
    return Findings(
        sorted(
            (each for part in parts for each in part.rights), key=lambda each: functions.index(each.function)
        ),
        [each for part in parts for each in part.used_but_not_granted],
        [each for part in parts for each in part.granted_but_not_used],
    )


def main() -> int:
    """Run, write both files and print the table; exit code 1 unless every right is needed and used."""
    started = time.monotonic()
    try:
        findings = run_rights()
    except (LocalAwsError, OperatorError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    JSON_PATH.parent.mkdir(exist_ok=True)
    JSON_PATH.write_text(json.dumps(as_json(findings), indent=2) + "\n")
    GUARANTEES_PATH.write_text(with_table(GUARANTEES_PATH.read_text(), table(findings)))
    sys.stdout.write(table(findings))
    for word, actions in (
        ("used but not granted", findings.used_but_not_granted),
        ("granted but not used", findings.granted_but_not_used),
    ):
        sys.stdout.write(f"{word}: {', '.join(actions) or 'none'}\n")
    sys.stdout.write(f"{len(findings.rights)} rights in {time.monotonic() - started:.0f} s\n")
    return int(not findings.ok)


def _tell(right: Right) -> None:
    sys.stderr.write(f"{right.function} {right.action}: {right.fails_at or 'nothing failed'}\n")


if __name__ == "__main__":
    # A poller without its rights says so every moment; here that is the purpose.
    logging.getLogger("outbox_local.event_sources").setLevel(logging.CRITICAL)
    sys.exit(main())
