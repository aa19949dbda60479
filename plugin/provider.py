"""The components as the engine is served them."""

import json
import re

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
            return super().construct(name, resource_type, inputs, options)
        except ComponentInitError as error:
            if not isinstance(error.inner, InvalidSettingError):
                raise
            raise InputPropertiesError(self._told(str(error.inner), resource_type), []) from error

    def _told(self, sentence: str, resource_type: str) -> str:
        component = json.loads(self.schema or "")["resources"][type_token(resource_type.rpartition(":")[2])]

        def in_schema(word: re.Match[str]) -> str:
            return config_key(word[0]) if config_key(word[0]) in component["inputProperties"] else word[0]

        return re.sub(r"\w+", in_schema, sentence)
