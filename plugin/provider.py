"""The components as the engine is served them."""

import json
import re
from typing import cast

import pulumi
from pulumi.errors import InputPropertiesError
from pulumi.provider import ConstructResult
from pulumi.provider.experimental.component import ComponentProvider
from pulumi.provider.experimental.host import components_from_module
from pulumi.provider.server import ComponentInitError

import components
from components.package import PACKAGE, VERSION, type_token
from components.settings import config_key
from components.validation import InvalidSettingError


class OutboxProvider(ComponentProvider):
    """Every component that the package offers to Python programs, and no other.

    A refused value reaches the user as its sentence, with arguments named as in the schema. The SDK would tell it as
    a fault of the plugin, with the lines of code on the way to it.
    """

    def __init__(self) -> None:
        super().__init__(components_from_module(components), PACKAGE, version=VERSION)

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
            raise InputPropertiesError(self._in_schema(str(error), resource_type), []) from error

    def _in_schema(self, sentence: str, resource_type: str) -> str:
        component = json.loads(self.schema or "")["resources"][type_token(resource_type.rpartition(":")[2])]

        def in_schema(word: re.Match[str]) -> str:
            return config_key(word[0]) if config_key(word[0]) in component["inputProperties"] else word[0]

        return re.sub(r"\w+", in_schema, sentence)
