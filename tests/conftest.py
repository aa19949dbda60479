"""What holds for every test: no call can leave this machine, and no credential of the user is in reach."""

import os
import socket
from collections.abc import Iterator
from typing import Any

import pytest

LOOPBACK = ("127.", "::1", "localhost")
DUMMY_CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}


@pytest.fixture(autouse=True, scope="session")
def nothing_of_the_users_account() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in [each for each in os.environ if each.startswith("AWS_")]:
            patch.delenv(name)
        for name, value in DUMMY_CREDENTIALS.items():
            patch.setenv(name, value)
        yield


@pytest.fixture(autouse=True, scope="session")
def no_network() -> Iterator[None]:
    connect = socket.socket.connect

    def connect_on_this_machine(self: socket.socket, address: Any) -> None:
        if self.family != socket.AF_UNIX and not str(address[0]).startswith(LOOPBACK):
            raise AssertionError(f"A test tried to reach {address}: tests stay on this machine.")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_on_this_machine)
        yield
