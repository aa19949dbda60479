"""Start of a plugin: it serves on a free port of its own and prints it as its first line."""

import os
import signal
import sys
from collections.abc import Callable
from concurrent import futures

import grpc

LOOPBACK = "127.0.0.1"
CALLS_AT_A_TIME = 32  # the engine makes up to 16 resources at once and streams each plugin's output besides
LARGEST_MESSAGE_BYTES = 400 * 1024 * 1024  # as the SDK: an archive travels inside a message
LONGEST_STOP_SECONDS = 2.0


def serve(register: Callable[[grpc.Server], None]) -> None:
    """Serves until the engine interrupts this process, which is how it ends a plugin, or goes away itself.

    Args:
        register: adds the plugin's service to the server.
    """
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    server = grpc.server(
        futures.ThreadPoolExecutor(CALLS_AT_A_TIME),
        options=[
            ("grpc.max_receive_message_length", LARGEST_MESSAGE_BYTES),
            ("grpc.max_send_message_length", LARGEST_MESSAGE_BYTES),
        ],
    )
    register(server)
    port = server.add_insecure_port(f"{LOOPBACK}:0")
    server.start()
    print(port, flush=True)  # noqa: T201 the handshake that the engine waits for
    # The engine holds the other end of the standard input and closes it when it ends, however that happens.
    sys.stdin.buffer.read()
    # Calls under way are cancelled, and with them ends what they have started.
    server.stop(grace=None).wait(LONGEST_STOP_SECONDS)
    os._exit(0)
