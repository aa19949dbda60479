"""Reads the YAML files of a Pulumi program."""

from pathlib import Path
from typing import Any

import yaml

from outbox_local.errors import ProgramError


def read_mapping(path: Path) -> dict[str, Any]:
    """The mapping that a file holds; an empty file holds none.

    Raises:
        ProgramError: the file cannot be read, is no YAML, or holds something else.
    """
    try:
        content = yaml.safe_load(path.read_text("utf-8"))
    except OSError as error:
        raise ProgramError(f"{path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # such as a date that there is not
        raise ProgramError(f"{path} is no YAML: {_problem(error)}.") from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ProgramError(f"{path} must be a mapping, but is a {type(content).__name__}.")
    return content


def _problem(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} at line {mark.line + 1}, column {mark.column + 1}"
    return " ".join(str(error).split())
