"""Validation of numbers that the range of an option lets pass."""

import math

import typer


def no_nan(value: float) -> float:
    """The number.

    Raises:
        BadParameter: it is `nan`, which is neither below a minimum nor above a maximum.
    """
    if math.isnan(value):
        raise typer.BadParameter("it must be a number.")
    return value
