"""Base of every resource type of the local AWS: four calls, the supported properties, and a resource that is gone.

The deployer, and the provider that the real engine talks to, both work through these and nothing else.
Inputs and outputs are the AWS provider's property names (camelCase) with plain Python values.
"""

import logging
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from botocore.exceptions import ClientError

from outbox_local.clients import Clients
from outbox_local.errors import DeploymentError, UnsupportedResourceError

logger = logging.getLogger(__name__)

Properties = dict[str, Any]

# A schema names each property that is understood, with the schema of what is inside it. Lists are passed
# through, item by item. LEAF has nothing inside; FREE_FORM has keys of the user's own.
Schema = Mapping[str, Any]
Computed = Mapping[str, frozenset[str]]
LEAF: Schema = {}
FREE_FORM = None

# The services' codes for a resource that is not there, and the emulator's for a dashboard.
GONE = frozenset(
    {
        "ResourceNotFoundException",
        "ResourceNotFound",
        "NoSuchEntity",
        "QueueDoesNotExist",
        "AWS.SimpleQueueService.NonExistentQueue",
        "DashboardNotFoundError",
    }
)

IGNORES = "The local AWS ignores properties"

AUTO_NAME_SUFFIX_BYTES = 4


@dataclass(frozen=True)
class Created:
    """A resource that now exists: its provider id and every output property."""

    id: str
    outputs: Properties


class ResourceType(ABC):
    """One resource type: how it is made, read, changed and removed in the emulator."""

    pulumi_type: ClassVar[str]
    schema: ClassVar[Schema]
    ignored: ClassVar[frozenset[str]] = frozenset()
    """Inputs that change nothing that happens here, such as an encryption key."""
    replaced_on: ClassVar[frozenset[str]] = frozenset()
    """Inputs that cannot change in place: a new value makes a new resource."""
    required: ClassVar[frozenset[str]] = frozenset()
    """Inputs without which AWS makes no such resource."""
    computed: ClassVar[Computed] = {}
    """Outputs that AWS gives, each with the inputs whose change in place gives it anew."""

    def create(self, clients: Clients, logical_name: str, inputs: Properties) -> Created:
        """Makes the resource, and removes it again where a later call fails: nobody would know of it."""
        resource_id = self._make(clients, logical_name, inputs)
        try:
            self._complete(clients, resource_id, inputs)
            return Created(resource_id, self.outputs(clients, resource_id, inputs))
        except BaseException:
            self.delete(clients, resource_id)
            raise

    def read(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """The outputs as they are in the emulator now, or None where the resource is gone."""
        try:
            return self._find(clients, resource_id, inputs)
        except ClientError as error:
            _require_gone(error)
            return None

    def update(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> Properties:
        """Changes the resource in place from the old inputs to the new ones; returns the new outputs."""
        self._change(clients, resource_id, old, new)
        return self.outputs(clients, resource_id, new)

    def delete(self, clients: Clients, resource_id: str) -> None:
        """Removes the resource; one that is gone already is no error."""
        try:
            self._remove(clients, resource_id)
        except ClientError as error:
            _require_gone(error)

    def outputs(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties:
        """The outputs of a resource that was made or changed a moment ago.

        Raises:
            DeploymentError: it is not there.
        """
        outputs = self.read(clients, resource_id, inputs)
        if outputs is None:
            raise DeploymentError(f"{self.pulumi_type} {resource_id}: gone right after it was written.")
        return outputs

    def _id(self, logical_name: str, inputs: Properties) -> str:
        """The provider's id of a new resource; where AWS gives one, a type makes the resource itself."""
        return physical_name(logical_name, inputs)

    def _make(self, clients: Clients, logical_name: str, inputs: Properties) -> str:
        """The first call; returns the id. Without one of its own, a type makes a resource as it changes it."""
        resource_id = self._id(logical_name, inputs)
        self._change(clients, resource_id, {}, inputs)
        return resource_id

    def _complete(self, clients: Clients, resource_id: str, inputs: Properties) -> None:  # noqa: B027 most need none
        """Further calls that a new resource needs after the first."""

    @abstractmethod
    def _find(self, clients: Clients, resource_id: str, inputs: Properties) -> Properties | None:
        """The current outputs; None, or an error with one of the GONE codes, where there is no such resource."""

    @abstractmethod
    def _change(self, clients: Clients, resource_id: str, old: Properties, new: Properties) -> None:
        """The calls that lead from the old inputs to the new ones."""

    @abstractmethod
    def _remove(self, clients: Clients, resource_id: str) -> None:
        """The call that removes it."""

    def check(self, inputs: Properties) -> None:
        """Refuses a property that this type does not know, and names those that make no difference here.

        Raises:
            UnsupportedResourceError: names the type and the property.
        """
        given = {name: value for name, value in inputs.items() if value is not None}
        for path in _unknown({name: given[name] for name in given.keys() - self.ignored}, self.schema):
            raise UnsupportedResourceError(
                f"{self.pulumi_type}: the local AWS does not know the property {path!r}. "
                f"It knows {', '.join(sorted(self.schema))}; "
                f"add it to outbox_local/resources/ or leave it out of the program."
            )
        if ignored := sorted(given.keys() & self.ignored):
            logger.warning("%s of %s: %s", IGNORES, self.pulumi_type, ", ".join(ignored))


def _require_gone(error: ClientError) -> None:
    """Raises an error again that says anything but that the resource is not there."""
    if error.response["Error"]["Code"] not in GONE:
        raise error


def physical_name(logical_name: str, inputs: Properties) -> str:
    """The given name, or the logical one with a random end, as Pulumi names things itself."""
    return str(inputs.get("name") or f"{logical_name}-{secrets.token_hex(AUTO_NAME_SUFFIX_BYTES)[:7]}")


def without_nones(values: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call without those that were not given; 0 and False stay."""
    return {name: value for name, value in values.items() if value is not None}


def tags_of(inputs: Properties) -> dict[str, str]:
    """The tags, as the map that most services take."""
    return dict(inputs.get("tags") or {})


def tag_list(inputs: Properties) -> list[dict[str, str]]:
    """The tags, as the list of pairs that DynamoDB and IAM take."""
    return [{"Key": key, "Value": value} for key, value in tags_of(inputs).items()]


def _unknown(value: Any, schema: Schema | None, path: str = "") -> list[str]:
    if schema is FREE_FORM:
        return []
    if isinstance(value, list):
        return [found for item in value for found in _unknown(item, schema, path)]
    if not isinstance(value, dict):
        return []
    return [
        found
        for key, inner in value.items()
        for found in (
            [f"{path}{key}"] if key not in schema else _unknown(inner, schema[key], f"{path}{key}.")
        )
    ]
