"""Folder of the program that the local AWS deploys: the working directory's."""

from pathlib import Path

from outbox_local.errors import ProgramError

PROJECT_FILE = "Pulumi.yaml"


def program_directory() -> Path:
    """The nearest folder with a Pulumi.yaml, from the working directory upward, as the Pulumi CLI finds it.

    Raises:
        ProgramError: there is none.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / PROJECT_FILE).is_file():
            return folder
    raise ProgramError(
        f"There is no {PROJECT_FILE} in {here} or above it: change to the folder of a Pulumi program. "
        "For a stack on AWS, name it or a file of its outputs with --aws."
    )
