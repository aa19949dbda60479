"""Reads the outputs of a stack on AWS: from the Pulumi CLI, or from its answer kept in a file."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outbox_cli.errors import OperatorError, StackUnavailableError

STANDARD_INPUT = "-"
FILE_SUFFIX = ".json"
PULUMI_TIMEOUT_SECONDS = 120.0
WAY_TO_EXPORTS = (
    "export it as docs/reuse.md#what-the-operators-verbs-read says, and run `pulumi up` on the stack."
)
QUEUE_ARN = "queue_arn"  # an outbox is known by it, and its region
ARN_PARTS = 6  # arn:partition:service:region:account:resource


def read_outputs(named: str) -> dict[str, Any]:
    """All outputs of the stack of this name, or those in a file or on standard input.

    Args:
        named: a stack's name; a file's, which ends in `.json`; or `-`. The latter two hold what
            `pulumi stack output --json` prints, so that an operator needs no Pulumi CLI.

    Raises:
        StackUnavailableError: there is no such file or stack, or no CLI, or what was read are no outputs.
    """
    if not named:  # an unset variable of a shell; the Pulumi CLI would take the stack chosen last
        raise StackUnavailableError(
            "--aws names no stack: write its name, or leave --aws out for the local AWS."
        )
    if named == STANDARD_INPUT:
        return parse_outputs(sys.stdin.read() if sys.stdin else "", "standard input")
    if named.endswith(FILE_SUFFIX):
        try:
            return parse_outputs(Path(named).read_text(encoding="utf-8"), named)
        except (OSError, UnicodeDecodeError) as error:
            raise StackUnavailableError(
                f"{named} cannot be read ({getattr(error, 'strerror', None) or 'it is not text'}): "
                "make it with `pulumi stack output --json > FILE.json`."
            ) from error
    return parse_outputs(_ask_pulumi(named), f"the stack {named!r}")


def parse_outputs(text: str, where: str) -> dict[str, Any]:
    """Outputs as the Pulumi CLI prints them: an object.

    Raises:
        StackUnavailableError: it is something else, or the stack has not been deployed.
    """
    try:
        outputs = json.loads(text)
    except ValueError:
        outputs = None
    if not isinstance(outputs, dict):
        raise StackUnavailableError(
            f"What {where} gives must be the object of `pulumi stack output --json`, but is something else."
        )
    return outputs


def one_outbox(outputs: Mapping[str, Any], name: str | None, where: str) -> Mapping[str, Any]:
    """The outputs of one outbox: those of this name, or of the only one that the program exports.

    Args:
        outputs: all that the program exports: an outbox's values, or an object of them for each of its outboxes.
        name: as given to `export_outbox`; `None` for the only one.
        where: the stack, in an error's words.

    Raises:
        StackUnavailableError: there is none of this name, several and no name, or no ARN that names the region.
    """
    named = {
        key: value for key, value in outputs.items() if isinstance(value, Mapping) and QUEUE_ARN in value
    }
    names = ", ".join(sorted(named))
    if name is not None and name not in named:
        choice = f"choose one of {names}" if named else "it has only one, so leave --outbox out"
        raise StackUnavailableError(f"{where} has no outbox {name!r}: {choice}.")
    if name is None and len(named) > 1 and QUEUE_ARN not in outputs:
        raise StackUnavailableError(f"{where} has several outboxes: choose one of {names} with --outbox.")
    if name is not None:
        chosen = named[name]
    else:
        chosen = outputs if QUEUE_ARN in outputs or not named else next(iter(named.values()))
    parts = str(chosen.get(QUEUE_ARN)).split(":")
    if len(parts) != ARN_PARTS or not all(parts):
        raise StackUnavailableError(f"{where} has no ARN as {QUEUE_ARN!r}: {WAY_TO_EXPORTS}")
    return chosen


def region_of(outputs: Mapping[str, Any]) -> str:
    """The region that a stack is in, as its own queue's ARN says."""
    return str(outputs[QUEUE_ARN]).split(":")[3]


def _ask_pulumi(name: str) -> str:
    try:
        return subprocess.run(
            ["pulumi", "stack", "output", "--json", "--non-interactive", "--stack", name],
            capture_output=True,
            text=True,
            check=True,
            timeout=PULUMI_TIMEOUT_SECONDS,
        ).stdout
    except FileNotFoundError as error:
        raise StackUnavailableError(
            f"The outputs of the stack {name!r} come from the Pulumi CLI, and there is no `pulumi` on PATH: "
            "install it, name a file with the outputs (--aws FILE.json), or leave --aws out to use the local AWS."
        ) from error
    except subprocess.TimeoutExpired as error:
        raise OperatorError(
            f"The Pulumi CLI gave no outputs of the stack {name!r} within {PULUMI_TIMEOUT_SECONDS:.0f} s: "
            "check `pulumi whoami` and the network, then repeat the command."
        ) from error
    except subprocess.CalledProcessError as error:
        reason = " ".join(error.stderr.split()).removeprefix("error: ") or f"exit code {error.returncode}"
        raise StackUnavailableError(
            f"The Pulumi CLI gives no outputs of the stack {name!r} ({reason}): "
            "`pulumi stack ls` names the stacks there are."
        ) from error
