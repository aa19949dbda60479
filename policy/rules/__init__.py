"""Every rule of the pack: each module in this folder holds one, as `RULE`."""

from importlib import import_module
from pkgutil import iter_modules

from pulumi_policy import Policy

RULES: tuple[Policy, ...] = tuple(
    import_module(f"{__name__}.{module.name}").RULE for module in iter_modules(__path__)
)
