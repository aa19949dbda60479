"""The command line `outbox`: assembles the groups of verbs, and turns an error into one sentence and a code.

Each group lives in its own `outbox_cli/<group>/commands.py`, which parses, calls one function of the package,
and prints its answer.
"""

import os
import sys
from importlib import metadata
from typing import Annotated

import typer
from typer._click.exceptions import NoArgsIsHelpError, UsageError  # of these, only BadParameter is public

from outbox_cli.aws_errors import SDK_ERRORS, explain
from outbox_cli.cost import commands as cost
from outbox_cli.dead_letters import commands as dead_letters
from outbox_cli.demo import commands as demo
from outbox_cli.errors import OperatorError, StoppedError, WrongUseError
from outbox_cli.exit_codes import CHECK_FAILED, DONE, INTERRUPTED, WRONG_USE
from outbox_cli.fault import commands as fault
from outbox_cli.orders import commands as orders
from outbox_cli.parked import commands as parked
from outbox_cli.permissions import commands as permissions
from outbox_cli.reconcile import commands as reconcile
from outbox_cli.relay_failures import commands as relay_failures
from outbox_cli.shown import shown
from outbox_cli.status import commands as status
from outbox_cli.streams import guarded_streams
from outbox_cli.trace import commands as trace
from outbox_cli.verify import commands as verify
from outbox_cli.watch import commands as watch
from outbox_local.errors import LocalAwsError, ProgramError

TRACEBACK_VARIABLE = "OUTBOX_TRACEBACK"
UNEXPECTED = (
    "`outbox` has a fault of its own here ({error}): report it with what the same command shows "
    f"with {TRACEBACK_VARIABLE}=1."
)

# In the order in which the help lists them.
GROUPS = (
    demo,
    orders,
    status,
    watch,
    trace,
    fault,
    dead_letters,
    verify,
    reconcile,
    parked,
    relay_failures,
    cost,
    permissions,
)

app = typer.Typer(
    help="A transactional outbox and an idempotent consumer: try it, run it, inspect it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for group in GROUPS:
    group.add_to(app)


def _show_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"outbox {metadata.version('transactional-outbox')}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Options before any verb."""


def run() -> int:
    """Runs the command line and returns the exit code; an error becomes one sentence, never a traceback.

    Raises:
        KeyboardInterrupt: somebody asked to stop; everything that was started has been stopped.
    """
    with guarded_streams():
        return _run()


def _run() -> int:
    try:
        code = app(standalone_mode=False)  # or typer itself would print what was typed, as it is
        if code == INTERRUPTED:  # typer's own word for it
            raise KeyboardInterrupt
        sys.stdout.flush()
    except UsageError as error:
        if not isinstance(error, NoArgsIsHelpError):  # its message is the help
            error.message = shown(error.message.replace("Value error, ", "", 1))  # pydantic's words for it
        error.show(sys.stderr)
        return WRONG_USE
    except (LocalAwsError, OperatorError) as error:
        return _say(_code_of(error), str(error))
    except SDK_ERRORS as error:
        return _say(CHECK_FAILED, explain(error))
    except Exception as error:
        if os.environ.get(TRACEBACK_VARIABLE):
            raise
        return _say(CHECK_FAILED, UNEXPECTED.format(error=f"{type(error).__name__}: {error}"))
    return code or DONE


def _code_of(error: LocalAwsError | OperatorError) -> int:
    if isinstance(error, StoppedError):
        return INTERRUPTED
    return WRONG_USE if isinstance(error, ProgramError | WrongUseError) else CHECK_FAILED


def _say(code: int, sentence: str) -> int:
    sys.stderr.write(f"{shown(sentence)}\n")
    return code
