"""The AWS provider's stand-in: the engine's calls, answered by the same code that the demo's deployer uses.

It talks to the local AWS that AWS_ENDPOINT_URL names, on the loopback address, and to nothing else.
https://github.com/pulumi/pulumi/blob/master/proto/pulumi/provider.proto says what each call means.
"""

import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import metadata
from typing import Any
from urllib.parse import urlsplit

import grpc
from botocore.exceptions import BotoCoreError, ClientError, WaiterError
from google.protobuf import empty_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from engine.serving import LOOPBACK, serve
from engine.values import UNKNOWN, decode, encode
from outbox_local.clients import Clients, Endpoint
from outbox_local.errors import LocalAwsError
from outbox_local.event_sources.mapping import InvalidMapping
from outbox_local.resources import Properties, resource_type

ENDPOINT_VARIABLE = "AWS_ENDPOINT_URL"

# The provider's own note in a resource's inputs of what it filled in: as the AWS provider writes it.
FILLED_IN = "__defaults"
RANDOM_END_LENGTH = 7

REFUSALS = (LocalAwsError, InvalidMapping, ClientError, BotoCoreError, WaiterError)


class ProviderConfigurationError(LocalAwsError):
    """Raised when the stand-in is not told where the local AWS is, or in which region."""


class AwsProvider(provider_pb2_grpc.ResourceProviderServicer):
    """One provider instance, for one region; the engine starts one for each that a program has."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._made_clients: Clients | None = None

    @property
    def _clients(self) -> Clients:
        if self._made_clients is None:
            raise ProviderConfigurationError("The engine asks for a resource before it has sent a region.")
        return self._made_clients

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        """The version of the SDK that programs use, which is the provider's own."""
        return plugin_pb2.PluginInfo(version=metadata.version("pulumi_aws"))

    def GetSchema(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.GetSchemaResponse:
        """Schema for a YAML program that makes a provider of its own: its one setting, and no resources."""
        region = {"region": {"type": "string"}}
        schema = {
            "name": "aws",
            "version": metadata.version("pulumi_aws"),
            "config": {"variables": region},
            "provider": {"inputProperties": region},
        }
        return provider_pb2.GetSchemaResponse(schema=json.dumps(schema))

    def CheckConfig(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.CheckResponse:
        """Refuses a provider without a region: nothing here may fall back on the user's own."""
        failures = []
        if "region" not in request.news.fields:
            reason = "Missing region: set aws:region in the stack's configuration."
            failures.append(provider_pb2.CheckFailure(property="region", reason=reason))
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    def DiffConfig(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.DiffResponse:
        """Another region holds other resources: everything of this provider would be replaced."""
        replaces = (
            [] if decode(request.olds).get("region") == decode(request.news).get("region") else ["region"]
        )
        return provider_pb2.DiffResponse(replaces=replaces)

    def Configure(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.ConfigureResponse:
        """Takes the region, and asks for plain values: no secrets, no references, no outputs."""
        with _refusals_told(context, "the AWS provider"):
            region = decode(request.args).get("region", UNKNOWN)
            if region != UNKNOWN:  # at a preview the region can be another resource's
                self._made_clients = Clients(replace(self._endpoint, region=region))
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.CheckResponse:
        """Refuses what the type does not know or lacks, and gives a name, which a resource then keeps."""
        inputs, old = decode(request.news), decode(request.olds)
        with _refusals_told(context, request.name):
            kind = resource_type(request.type)
            kind.check(inputs)
        missing = [
            provider_pb2.CheckFailure(property=name, reason=f"Missing required property {name!r}.")
            for name in sorted(kind.required - {name for name, value in inputs.items() if value is not None})
        ]
        if "name" in kind.schema and inputs.get("name") is None:
            kept = old["name"] if "name" in old.get(FILLED_IN, []) else _automatic_name(request)
            inputs |= {"name": kept, FILLED_IN: ["name"]}
        return provider_pb2.CheckResponse(inputs=encode(inputs), failures=missing)

    def Diff(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.DiffResponse:
        """The inputs that differ, and among them those for which the resource has to be made anew."""
        old, new = _given(request.old_inputs), _given(request.news)
        changed = _changed(old, new)
        replaces = changed & resource_type(request.type).replaced_on
        return provider_pb2.DiffResponse(
            changes=provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE,
            diffs=sorted(changed),
            replaces=sorted(replaces),
            # The new one cannot have the name of the old one while that still stands.
            deleteBeforeReplace=bool(replaces) and old.get("name") == new.get("name"),
        )

    def Create(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.CreateResponse:
        """Makes the resource; at a preview, says what of it is known before."""
        kind, inputs = resource_type(request.type), _given(request.properties)
        if request.preview:
            return provider_pb2.CreateResponse(
                properties=encode(inputs | dict.fromkeys(kind.computed, UNKNOWN))
            )
        with _refusals_told(context, request.name):
            created = kind.create(self._clients, request.name, inputs)
        return provider_pb2.CreateResponse(id=created.id, properties=encode(created.outputs))

    def Read(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.ReadResponse:
        """The resource as it stands, for a refresh or an import; an empty answer where it is gone."""
        kind, inputs = resource_type(request.type), _given(request.inputs)
        with _refusals_told(context, request.name or request.id):
            outputs = kind.read(self._clients, request.id, inputs)
        if outputs is None:
            return provider_pb2.ReadResponse()
        # An import brings no inputs: every property that could be one is taken for one.
        names = inputs.keys() or kind.schema.keys() - kind.computed.keys()
        current = {name: outputs[name] for name in names if name in outputs}
        if FILLED_IN in request.inputs.fields:
            current[FILLED_IN] = ["name"]
        return provider_pb2.ReadResponse(id=request.id, properties=encode(outputs), inputs=encode(current))

    def Update(self, request: Any, context: grpc.ServicerContext) -> provider_pb2.UpdateResponse:
        """Changes the resource in place; at a preview, an output stays known that no change touches."""
        kind = resource_type(request.type)
        old, new = _given(request.old_inputs), _given(request.news)
        if request.preview:
            changed = _changed(old, new)
            remade = [name for name, causes in kind.computed.items() if changed & causes]
            known = decode(request.olds) | new | dict.fromkeys(remade, UNKNOWN)
            return provider_pb2.UpdateResponse(properties=encode(known))
        with _refusals_told(context, request.name):
            outputs = kind.update(self._clients, request.id, old, new)
        return provider_pb2.UpdateResponse(properties=encode(outputs))

    def Delete(self, request: Any, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """Removes the resource."""
        with _refusals_told(context, request.name):
            resource_type(request.type).delete(self._clients, request.id)
        return empty_pb2.Empty()

    def Invoke(self, request: Any, context: grpc.ServicerContext) -> None:
        """Refuses look-ups, as the deployer does."""
        context.abort(
            grpc.StatusCode.UNIMPLEMENTED,
            f"The local AWS answers no look-ups, and the program asks {request.tok}: "
            "take the value from a resource's output.",
        )

    def Cancel(self, request: Any, context: grpc.ServicerContext) -> empty_pb2.Empty:
        """Nothing waits here that could be cut short."""
        return empty_pb2.Empty()


def local_endpoint(environment: Mapping[str, str]) -> Endpoint:
    """Where the local AWS is, with its keys; the region is each provider's own.

    Raises:
        ProviderConfigurationError: a variable is not set, or names anything but the loopback address.
    """
    endpoint_url = environment.get(ENDPOINT_VARIABLE, "")
    if urlsplit(endpoint_url).hostname != LOOPBACK:
        raise ProviderConfigurationError(
            f"{ENDPOINT_VARIABLE} must be the local AWS at http://{LOOPBACK}:PORT, but is {endpoint_url!r}. "
            "To deploy to AWS itself, take engine/bin off PATH."
        )
    try:
        keys = environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"]
    except KeyError as error:
        raise ProviderConfigurationError(
            f"{error.args[0]} is not set: set it to the local AWS's, which is made anew for each start."
        ) from error
    return Endpoint(endpoint_url, "", *keys)


def main() -> None:
    """Serves the engine that started this process."""
    try:
        provider = AwsProvider(local_endpoint(os.environ))
    except ProviderConfigurationError as error:
        sys.exit(str(error))
    serve(lambda server: provider_pb2_grpc.add_ResourceProviderServicer_to_server(provider, server))


def _automatic_name(request: Any) -> str:
    """The logical name with a random end, which the engine's seed makes the same at every call in one run."""
    return f"{request.name}-{hashlib.sha256(request.randomSeed).hexdigest()[:RANDOM_END_LENGTH]}"


def _given(message: Any) -> Properties:
    """The inputs that a resource type knows, without the provider's own notes."""
    return {name: value for name, value in decode(message).items() if name != FILLED_IN and value is not None}


def _changed(old: Properties, new: Properties) -> set[str]:
    return {name for name in old.keys() | new.keys() if old.get(name) != new.get(name)}


@contextmanager
def _refusals_told(context: grpc.ServicerContext, name: str) -> Iterator[None]:
    """Tells the engine in a sentence what was refused; a defect of ours still comes with its traceback."""
    try:
        yield
    except REFUSALS as error:
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"{name}: {error}")
