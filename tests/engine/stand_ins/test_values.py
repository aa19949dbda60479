"""Property values between the engine's messages and plain Python."""

from typing import Any

import pulumi
import pytest
from google.protobuf import json_format, struct_pb2
from pulumi.runtime import rpc

from engine.values import SIGNATURE, UNKNOWN, EngineArchive, decode, encode
from outbox_local.resources.archive import zip_archive


def message(content: dict[str, Any]) -> struct_pb2.Struct:
    found: struct_pb2.Struct = json_format.ParseDict(content, struct_pb2.Struct())
    return found


def archive(content_hash: str, **texts: str) -> dict[str, Any]:
    """An archive as the engine sends it: without assets once it comes out of a state."""
    assets = {
        f"{name}.py": {SIGNATURE: rpc._special_asset_sig, "hash": "a", "text": text}
        for name, text in texts.items()
    }
    return {SIGNATURE: rpc._special_archive_sig, "hash": content_hash} | (
        {"assets": assets} if assets else {}
    )


def test_plain_values_come_back_as_they_were_with_numbers_as_floats() -> None:
    content = {
        "text": "a",
        "number": 3,
        "flag": True,
        "nothing": None,
        "list": [{"inner": 0}],
        "later": UNKNOWN,
    }

    decoded = decode(message(content))

    assert decoded == content
    assert [type(decoded["number"]), type(decoded["list"][0]["inner"])] == [float, float]
    assert encode(decoded) == message(content)


def test_archive_out_of_a_state_equals_a_new_one_of_the_same_content_and_no_other() -> None:
    new = decode(message({"code": archive("1", main="x = 1")}))["code"]
    stored, other = (decode(message({"code": archive(each)}))["code"] for each in "12")

    assert new == stored
    assert new != other
    assert new != pulumi.AssetArchive({})


def test_archive_keeps_its_assets_for_the_function_and_its_message_for_the_engine() -> None:
    sent = message({"code": archive("1", main="x = 1")})

    decoded = decode(sent)

    assert isinstance(decoded["code"], EngineArchive)
    assert b"main.py" in zip_archive(decoded["code"])
    assert encode(decoded) == sent


@pytest.mark.parametrize("value", [object(), b"bytes", {"inner": [object()]}])
def test_value_that_no_property_has_is_refused_by_its_type(value: object) -> None:
    with pytest.raises(TypeError, match=r"No property has a value of type (object|bytes)\."):
        encode({"name": value})


def test_value_under_an_unasked_signature_is_refused() -> None:
    secret = {SIGNATURE: rpc._special_secret_sig, "value": "x"}

    with pytest.raises(TypeError, match="signature"):
        decode(message({"name": secret}))
