"""Property values as the engine sends them (protobuf) and as `outbox_local.resources` takes them (plain Python).

An unknown value stays the text that stands for it on the wire. Numbers are floats, as from the real provider.
The signatures that mark an archive are the SDK's own, in its `runtime/rpc.py`.
"""

from collections.abc import Mapping
from typing import Any

import pulumi
from google.protobuf import struct_pb2
from pulumi.runtime import rpc

from outbox_local.resources import Properties

UNKNOWN = rpc.UNKNOWN
SIGNATURE = rpc._special_sig_key
SCALARS = {bool: "bool_value", int: "number_value", float: "number_value", str: "string_value"}


class EngineArchive(pulumi.AssetArchive):
    """An archive with the hash that the engine has computed.

    While it is new it has its assets too; one out of a stack's state has the hash alone, and is still equal to
    an archive of the same content.
    """

    def __init__(self, wire: struct_pb2.Struct) -> None:
        fields = wire.fields
        super().__init__(
            {name: _asset(value.struct_value) for name, value in fields["assets"].struct_value.fields.items()}
            if "assets" in fields
            else {}
        )
        self.wire = wire
        self.hash = fields["hash"].string_value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EngineArchive) and self.hash == other.hash

    def __hash__(self) -> int:
        return hash(self.hash)


def decode(message: struct_pb2.Struct) -> Properties:
    """The properties in a message, by name."""
    return {name: _decode(value) for name, value in message.fields.items()}


def encode(properties: Mapping[str, Any]) -> struct_pb2.Struct:
    """The message with these properties.

    Raises:
        TypeError: a value has a type that no property has.
    """
    return struct_pb2.Struct(fields={name: _encode(value) for name, value in properties.items()})


def _decode(value: struct_pb2.Value) -> Any:
    kind = value.WhichOneof("kind")
    if kind == "list_value":
        return [_decode(each) for each in value.list_value.values]
    if kind == "struct_value":
        signature = value.struct_value.fields.get(SIGNATURE)
        if signature is None:
            return decode(value.struct_value)
        if signature.string_value == rpc._special_archive_sig:
            return EngineArchive(value.struct_value)
        raise TypeError(f"A property holds a value with the signature {signature.string_value}.")
    return None if kind == "null_value" else getattr(value, kind)


def _asset(wire: struct_pb2.Struct) -> pulumi.Asset:
    if "text" in wire.fields:
        return pulumi.StringAsset(wire.fields["text"].string_value)
    return pulumi.FileAsset(wire.fields["path"].string_value)


def _encode(value: object) -> struct_pb2.Value:
    if value is None:
        return struct_pb2.Value(null_value=struct_pb2.NULL_VALUE)
    if isinstance(value, list):
        return struct_pb2.Value(list_value=struct_pb2.ListValue(values=[_encode(each) for each in value]))
    if isinstance(value, dict):
        return struct_pb2.Value(struct_value=encode(value))
    if isinstance(value, EngineArchive):
        return struct_pb2.Value(struct_value=value.wire)
    if type(value) not in SCALARS:
        raise TypeError(f"No property has a value of type {type(value).__name__}.")
    return struct_pb2.Value(**{SCALARS[type(value)]: value})
