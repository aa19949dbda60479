"""The verb `permissions operator`: the IAM document of whoever deploys and runs a stack."""

import json
import re
from typing import Annotated

import typer

from outbox_cli.errors import WrongUseError
from outbox_cli.output import AsJson, Output
from outbox_cli.permissions.operator import Place, operator_document
from outbox_cli.stack.option import OnAws, OutboxName, chosen_stack
from outbox_local.paths import program_directory

PARTITION = re.compile(r"aws(-[a-z]+)*")
ACCOUNT = re.compile(r"[0-9]{12}")


def operator(
    *,
    stack: Annotated[
        str | None,
        typer.Option(
            help="Whose configuration (Pulumi.<stack>.yaml) says what there is; else the deployed one's."
        ),
    ] = None,
    account: Annotated[
        str | None, typer.Option(help="The account's number: for a stack that is not deployed yet.")
    ] = None,
    partition: Annotated[str | None, typer.Option(help="With --account; aws without it.")] = None,
    region: Annotated[str | None, typer.Option(help="With --account; else the configuration's.")] = None,
    on_aws: OnAws = None,
    outbox: OutboxName = None,
    as_json: AsJson = False,
) -> None:
    """Print the operator's IAM document: deploying this stack, and every verb on it, no more.

    It may pass the stack's roles to Lambda alone. Account, region and partition are those of the deployed stack,
    or of --account. What Pulumi keeps its state with is not in it.
    """
    # Here and not above: no other verb needs Pulumi, which takes longer to import than they take to run.
    from outbox_cli.stack.planned import plan_stack  # noqa: PLC0415
    from outbox_local.program import read_stack_config, region_override  # noqa: PLC0415

    if account is not None:
        if not ACCOUNT.fullmatch(account):
            raise WrongUseError(f"--account is {account!r}; an AWS account's number has 12 digits.")
        if on_aws is not None:
            raise WrongUseError("--account is for a stack that is not deployed yet: leave it or --aws out.")
        partition = "aws" if partition is None else partition
        if not PARTITION.fullmatch(partition):
            raise WrongUseError(
                f"--partition is {partition!r}; it must be one of AWS, such as aws or aws-cn."
            )
        config = read_stack_config(program_directory(), stack or "dev", region_override(region))
        place = Place(partition, config.region, account)
    else:
        if partition is not None or region is not None:
            raise WrongUseError("--partition and --region go with --account: a deployed stack says its own.")
        if stack is not None:
            read_stack_config(program_directory(), stack, {})
        deployed = chosen_stack(on_aws, outbox)
        place = Place.of(deployed["queue_arn"])
        config = read_stack_config(program_directory(), stack or deployed.name, region_override(place.region))
    planned = plan_stack(config, place)
    document = operator_document(place, planned.resources, planned.outputs)
    Output(as_json).write(document, *json.dumps(document, indent=2).splitlines())


def add_to(app: typer.Typer) -> None:
    """Adds the verb to a command line."""
    permissions = typer.Typer(help="IAM documents.", no_args_is_help=True)
    permissions.callback()(lambda: None)  # keeps the verb's own word, though it is the only one
    permissions.command("operator", epilog="Example: outbox permissions operator --stack prod --aws prod")(
        operator
    )
    app.add_typer(permissions, name="permissions")
