"""The guard that every other test runs under."""

import socket

import boto3
import pytest


def test_connection_to_another_machine_is_refused() -> None:
    with socket.socket() as outward, pytest.raises(AssertionError, match="stay on this machine"):
        outward.connect(("192.0.2.1", 443))  # an address for documentation: RFC 5737


def test_credentials_in_reach_are_dummies() -> None:
    credentials = boto3.Session().get_credentials()

    assert credentials is not None
    assert credentials.access_key == "testing"
