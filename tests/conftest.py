"""What holds for every test: it inherits nothing from its user, and no call can leave this machine."""

import locale
import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

LOOPBACK = ("127.", "::1", "localhost")
# Of whoever starts the tests: an account, a Pulumi project, a look of the terminal, an encoding, other modules.
INHERITED_PREFIXES = ("AWS_", "LC_", "OUTBOX_", "PULUMI_", "PYTHONIO", "PYTHONUTF8")
INHERITED = {"CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "PYTHONPATH"}
SAME_FOR_ALL = {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm",
    # What installs packages may need its user's proxy; what runs on this machine never does.
    "NO_PROXY": "127.0.0.1,::1,localhost",
    "no_proxy": "127.0.0.1,::1,localhost",
}


def forget_the_user() -> None:
    """Done before any test module is imported: some of what they import reads the environment then."""
    for name in [each for each in os.environ if each in INHERITED or each.startswith(INHERITED_PREFIXES)]:
        del os.environ[name]
    os.environ.update(SAME_FOR_ALL)
    with suppress(locale.Error):  # where there is no such locale, text is UTF-8 in any
        locale.setlocale(locale.LC_CTYPE, "")


forget_the_user()


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
