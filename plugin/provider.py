"""The components as the engine is served them."""

import json
from typing import Any, cast

import pulumi
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.experimental.host import components_from_module
from pulumi.provider.server import ComponentInitError

import components
from components.arguments import settings_of
from components.lambda_function import FunctionArgs
from components.package import PACKAGE, VERSION
from components.settings import with_config_keys
from components.validation import InvalidSettingError, Row


def told(row: Row) -> str:
    """A setting's default and range, in words."""
    default = json.dumps(row.default) if not isinstance(row.default, str) else row.default
    return f"Default: {default or 'empty'}. Must be {row.range}."


class OutboxProvider(ComponentProvider):
    """Every component that the package offers to Python programs, and no other.

    A refused value reaches the user as its sentence, with arguments named as in the schema. The SDK would tell it as
    a fault of the plugin, with the lines of code on the way to it.
    """

    def __init__(self) -> None:
        super().__init__(components_from_module(components), PACKAGE, version=VERSION)
        self.schema = json.dumps(self._described(json.loads(self.schema or "")))

    def _described(self, schema: dict[str, Any]) -> dict[str, Any]:
        """The schema with what the SDK leaves out: texts of inherited arguments, defaults and ranges."""
        for token, resource in schema["resources"].items():
            component = token.rpartition(":")[2]
            names = self._component_defs[component].inputs_mapping
            rows = settings_of(getattr(components, f"{component}Args"))
            for key, found in resource["inputProperties"].items():
                text = found.get("description") or self.analyzer.get_docstring(FunctionArgs, names[key])
                found["description"] = f"{text} {told(rows[names[key]])}" if names[key] in rows else text
        return schema

    def construct(
        self,
        name: str,
        resource_type: str,
        inputs: pulumi.Inputs,
        options: pulumi.ResourceOptions | None = None,
    ) -> ConstructResult:
        """The component of this type.

        Raises:
            InputPropertiesError: it refuses what it is given.
        """
        try:
            made = super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            self._tell_refusal(error.inner, resource_type)
            raise
        return ConstructResult(self._urn_once_accepted(made, resource_type), made.state)

    async def _urn_once_accepted(self, made: ConstructResult, resource_type: str) -> str:
        """The URN, for which the SDK waits first; an output of another resource is refused only when it is known."""
        try:
            await pulumi.Output.all(*made.state.values()).future()
        except Exception as error:
            self._tell_refusal(error, resource_type)
            raise
        return cast("str", await pulumi.Output.from_input(made.urn).future())

    def _tell_refusal(self, error: BaseException | None, resource_type: str) -> None:
        while error is not None and not isinstance(error, InvalidSettingError):
            error = error.__cause__
        if error is not None:
            arguments = self._component_defs[resource_type.rpartition(":")[2]].inputs_mapping.values()
            raise InputPropertiesError(with_config_keys(str(error), arguments), []) from error
