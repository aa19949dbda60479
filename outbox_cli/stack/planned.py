"""Resources and outputs that a stack will have: the program runs with nothing behind it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outbox_cli.permissions.operator import MANAGED, NAME_END, Place, Planned
from outbox_local.paths import program_directory
from outbox_local.program import Registration, StackConfig, run_program
from outbox_local.resources import Created

# Stands for the end of a name while the program runs, as the program checks the names it is given.
NAME_END_AT_RUN = "-0000000"


@dataclass(frozen=True)
class PlannedStack:
    """A stack's resources and exports; physical names end in `NAME_END`."""

    resources: list[Planned]
    outputs: Mapping[str, Any]


def plan_stack(config: StackConfig, place: Place) -> PlannedStack:
    """Runs the unchanged program for a configuration and a place.

    Raises:
        ProgramError: the program refused its configuration.
    """
    resources: list[Planned] = []

    def register(registration: Registration) -> Created:
        resources.append(Planned(registration.pulumi_type, registration.name))
        name = registration.name + NAME_END_AT_RUN
        return Created(name, registration.inputs | _outputs(registration.pulumi_type, name, place))

    outputs = run_program(program_directory(), config, register)
    return PlannedStack(
        sorted(resources, key=lambda each: (each.pulumi_type, each.name)),
        {
            key: value.replace(NAME_END_AT_RUN, NAME_END) if isinstance(value, str) else value
            for key, value in outputs.items()
        },
    )


def _outputs(pulumi_type: str, name: str, place: Place) -> dict[str, Any]:
    """Outputs of AWS, as far as the program uses them."""
    kind = MANAGED.get(pulumi_type)
    arn = place.arn(kind.service, kind.resource + name, is_global=kind.is_global) if kind else ""
    return {
        "name": name,
        "arn": arn,
        "url": f"https://queue/{name}",
        "uuid": name,
        "streamArn": f"{arn}/stream/label",
    }
