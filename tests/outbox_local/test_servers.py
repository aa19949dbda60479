"""Every server that we start listens on loopback alone, and gives a browser nothing."""

import ast
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from outbox_local.clients import Clients, Endpoint
from tests.outbox_local.conftest import TRUST_POLICY
from tests.outbox_local.requests import FROM_A_BROWSER, ask
from tools.repository import PROGRAM_DIRECTORY

LOOPBACK = "127.0.0.1"
# 127.0.0.1 as /proc/net writes it, and as gRPC binds it: mapped into IPv6.
LOOPBACK_ADDRESSES = {"0100007F", "0000000000000000FFFF00000100007F"}
LISTENING_STATE = "0A"  # of /proc/net/tcp
NOWHERE = Endpoint.with_new_keys(f"http://{LOOPBACK}:9", "")

# What starts a server, as it is called in our code.
CALLS = {
    *("listen", "bind", "serve", "serve_forever", "run_app", "start_server", "create_server", "make_server"),
    *(
        "HTTPServer",
        "ThreadingHTTPServer",
        "TCPServer",
        "ThreadingTCPServer",
        "UDPServer",
        "UnixStreamServer",
    ),
    *(
        "add_insecure_port",
        "add_secure_port",
        "PolicyPack",
        "SimpleXMLRPCServer",
        "Listener",
        "ThreadedMotoServer",
    ),
}
PLUGIN_MAIN = "pulumi.provider"  # its `main` serves

# Where our code starts one, and how to start it alone; the emulator's two are started by the fixture.
SERVERS: dict[str, list[str] | None] = {
    "outbox_local/emulator/process.py": None,
    "outbox_local/emulator/server.py": None,
    "engine/serving.py": None,  # for the two that follow
    "engine/provider.py": ["engine/bin/pulumi-resource-aws", f"{LOOPBACK}:9"],
    "engine/language_host.py": [
        "engine/language/pulumi-language-python",
        f"{LOOPBACK}:9",
    ],
    "plugin/__main__.py": ["plugin/__main__.py", f"{LOOPBACK}:9"],
    "policy/__main__.py": ["policy"],
}

FUNCTION = "import os\ndef handler(event, context):\n    return dict(os.environ)\n"


def product_files() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "*.py"], cwd=PROGRAM_DIRECTORY, capture_output=True, text=True, check=True
    )
    return (Path(each) for each in listed.stdout.split() if not each.startswith("tests/"))


def starts_a_server(source: str) -> bool:
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
    }
    return bool(called & CALLS) or ("main" in called and PLUGIN_MAIN in source)


def test_every_place_that_starts_a_server_is_one_that_is_tried_here() -> None:
    files = list(product_files())

    found = {str(file) for file in files if starts_a_server((PROGRAM_DIRECTORY / file).read_text())}

    assert found == SERVERS.keys()
    assert len(files) >= 300


def processes_below(pid: int) -> Iterator[int]:
    """The process and all that it started, also by way of others."""
    yield pid
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from processes_below(int(child))


def listening(pid: int) -> set[tuple[str, int]]:
    """The addresses on which a process and its children listen, in the form of /proc/net."""
    sockets = set()
    for each in processes_below(pid):
        for descriptor in Path(f"/proc/{each}/fd").iterdir():
            target = os.readlink(descriptor) if descriptor.exists() or descriptor.is_symlink() else ""
            sockets.add(target.removeprefix("socket:[").removesuffix("]"))
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == LISTENING_STATE and fields[9] in sockets:
                address, port = fields[1].split(":")
                found.add((address, int(port, 16)))
    return found


def assert_only_loopback_and_nothing_for_browsers(pid: int) -> None:
    listened = listening(pid)
    assert listened
    assert {address for address, _ in listened} <= LOOPBACK_ADDRESSES
    for _, port in listened:
        for name, (method, headers) in FROM_A_BROWSER.items():
            answer = ask((LOOPBACK, port), method, "/", headers, b"{}")
            assert answer.is_refusal, (name, port, answer)


@contextmanager
def started(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A server that prints its port once it listens, as the engine expects of its plugins."""
    environment = os.environ | NOWHERE.environment | {"PYTHONPATH": str(PROGRAM_DIRECTORY)}
    with subprocess.Popen(
        [sys.executable, "-u", *command],
        cwd=PROGRAM_DIRECTORY,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            assert int(process.stdout.readline())
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(
    "file",
    [
        "engine/provider.py",
        "plugin/__main__.py",
        "policy/__main__.py",
        pytest.param("engine/language_host.py", marks=pytest.mark.thorough),  # serves as the provider does
    ],
)
def test_server_of_the_engine_listens_on_loopback_alone_and_gives_a_browser_nothing(file: str) -> None:
    command = SERVERS[file]
    assert command is not None

    with started(command) as process:
        assert_only_loopback_and_nothing_for_browsers(process.pid)


def new_function(clients: Clients, name: str, runtime: str) -> str:
    role = clients("iam").create_role(RoleName=name, AssumeRolePolicyDocument=TRUST_POLICY)["Role"]["Arn"]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as files:
        files.writestr("index.py", FUNCTION)
        files.writestr(zipfile.ZipInfo("bootstrap"), "#!/bin/sh\nsleep 60\n")
    created = clients("lambda").create_function(
        FunctionName=name,
        Runtime=runtime,
        Handler="index.handler",
        Role=role,
        Code={"ZipFile": archive.getvalue()},
    )
    return str(created["FunctionArn"])


def invoked(clients: Clients, name: str) -> Any:
    return json.load(clients("lambda").invoke(FunctionName=name)["Payload"])


def test_local_aws_listens_on_its_one_port_of_loopback_while_functions_run(
    clients: Clients, fresh_name: Callable[[str], str]
) -> None:
    before = listening(os.getpid())  # other tests of this process may have an emulator too
    python, other = fresh_name("python"), fresh_name("provided")
    new_function(clients, python, "python3.11")
    new_function(clients, other, "provided.al2023")

    answers = [invoked(clients, python), invoked(clients, other)]

    assert answers[1]["errorType"] == "Runtime.InvalidRuntime"
    assert int(clients.endpoint_url.rpartition(":")[2]) in {port for _, port in before}
    assert listening(os.getpid()) == before
    assert_only_loopback_and_nothing_for_browsers(os.getpid())


def test_function_has_the_keys_of_its_role_alone_and_nobody_can_guess_them(
    clients: Clients, fresh_name: Callable[[str], str]
) -> None:
    name = fresh_name("environment")
    arn = new_function(clients, name, "python3.11")

    environment = invoked(clients, name)

    assert environment["AWS_ACCESS_KEY_ID"].startswith("ASIA")
    assert clients.endpoint.secret_access_key not in environment.values()
    assert clients.endpoint.access_key_id not in environment.values()
    guessed = keys_from_names(arn, f"arn:aws:iam::000000000000:role/{name}")
    assert not {*guessed} & {*environment.values()}


def keys_from_names(function_arn: str, role_arn: str) -> list[str]:
    """The keys that ministack itself derives from two names."""

    def hashed(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()

    digest = hashed(f"{function_arn}:{role_arn}")
    return [f"ASIA{digest[:16].upper()}", hashed(f"secret:{digest}"), hashed(f"token:{digest}")]
