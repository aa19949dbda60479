"""Every rule of the pack: what the modules of this folder declare."""

from importlib import import_module
from pkgutil import iter_modules

from pulumi_policy import Policy

RULES: tuple[Policy, ...] = tuple(
    found
    for module in iter_modules(__path__)
    for found in vars(import_module(f"{__name__}.{module.name}")).values()
    if isinstance(found, Policy)
)
