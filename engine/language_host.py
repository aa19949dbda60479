"""The Python language host's stand-in: runs programs, policy packs and component packages for the engine.

Pulumi's own host comes with its CLI and not as a Go module; this one is used where a CLI was built without it.
https://github.com/pulumi/pulumi/blob/master/proto/pulumi/language.proto says what each call means.
"""

import json
import os
import platform
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import grpc
from pulumi.runtime.proto import language_pb2, language_pb2_grpc, plugin_pb2

from engine.run_program import ALREADY_SHOWN
from engine.serving import serve

VERSION = "1.0.0"
PROGRAM_RUNNER = Path(__file__).with_name("run_program.py")
CHUNK_BYTES = 64 * 1024


class PythonHost(language_pb2_grpc.LanguageRuntimeServicer):
    """The language host of one engine."""

    def __init__(self, engine_address: str) -> None:
        self._engine_address = engine_address

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext) -> plugin_pb2.PluginInfo:
        """The stand-in's own version."""
        return plugin_pb2.PluginInfo(version=VERSION)

    def GetRequiredPackages(
        self, request: Any, context: grpc.ServicerContext
    ) -> language_pb2.GetRequiredPackagesResponse:
        """None: the engine then asks for a provider when the first resource needs it."""
        return language_pb2.GetRequiredPackagesResponse()

    def GetProgramDependencies(
        self, request: Any, context: grpc.ServicerContext
    ) -> language_pb2.GetProgramDependenciesResponse:
        """None: the engine only shows them."""
        return language_pb2.GetProgramDependenciesResponse()

    def About(self, request: Any, context: grpc.ServicerContext) -> language_pb2.AboutResponse:
        """The Python that would run the program."""
        return language_pb2.AboutResponse(
            executable=python_of(request.info), version=platform.python_version()
        )

    def InstallDependencies(
        self, request: Any, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.InstallDependenciesResponse]:
        """Installs nothing: whoever uses the stand-in has an environment already."""
        return iter(())

    def Run(self, request: Any, context: grpc.ServicerContext) -> language_pb2.RunResponse:
        """Runs a program to its end in a process of its own, so that it finds nothing of this one's."""
        execution = {
            "engine": self._engine_address,
            "monitor": request.monitor_address,
            "project": request.project,
            "stack": request.stack,
            "organization": request.organization,
            "root_directory": request.info.root_directory,
            "parallel": request.parallel,
            "dry_run": request.dryRun,
            "config": dict(request.config),
            "secret_keys": list(request.configSecretKeys),
            "program": str(Path(request.info.program_directory, request.info.entry_point)),
        }
        ended = subprocess.run(
            [python_of(request.info), "-u", str(PROGRAM_RUNNER)],
            cwd=request.pwd,
            input=json.dumps(execution).encode(),
            check=False,
        )
        if ended.returncode in (0, ALREADY_SHOWN):
            return language_pb2.RunResponse(bail=bool(ended.returncode))
        return language_pb2.RunResponse(error=f"The program ended with exit code {ended.returncode}.")

    def RunPlugin(
        self, request: Any, context: grpc.ServicerContext
    ) -> Iterator[language_pb2.RunPluginResponse]:
        """Runs a policy pack or a component package and passes on what it says, until the engine ends it."""
        folder = request.info.program_directory
        what = ["-m", "pulumi.policy"] if request.kind == "analyzer" else [folder]
        arguments = [*request.args, folder] if request.kind == "analyzer" else list(request.args)
        process = subprocess.Popen(
            [python_of(request.info), "-u", *what, *arguments],
            cwd=folder if request.kind == "analyzer" else request.pwd,
            env=dict(each.split("=", 1) for each in request.env) or None,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the engine, which then ends this call
        )
        context.add_callback(process.kill)
        yield from _output(process)
        yield language_pb2.RunPluginResponse(exitcode=process.wait())


def python_of(info: language_pb2.ProgramInfo) -> str:
    """The Python of the project's virtual environment, or the one that runs this where it has none."""
    environment = dict(info.options.items()).get("virtualenv")
    if environment:
        python = Path(info.root_directory, str(environment), "bin", "python")
        if python.exists():
            return str(python)
    return sys.executable


def main() -> None:
    """Serves the engine whose address is the last argument."""
    host = PythonHost(sys.argv[-1])
    serve(lambda server: language_pb2_grpc.add_LanguageRuntimeServicer_to_server(host, server))


def _output(process: "subprocess.Popen[bytes]") -> Iterator[language_pb2.RunPluginResponse]:
    """Both streams of the process, piece by piece as they come, until both are closed."""
    pieces: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()

    def forward(name: str, stream: IO[bytes]) -> None:
        while piece := os.read(stream.fileno(), CHUNK_BYTES):
            pieces.put((name, piece))
        pieces.put((name, b""))

    streams = {"stdout": process.stdout, "stderr": process.stderr}
    for name, stream in streams.items():
        threading.Thread(target=forward, args=(name, stream), daemon=True).start()
    still_open = len(streams)
    while still_open:
        name, piece = pieces.get()
        if piece:
            yield language_pb2.RunPluginResponse(**{name: piece})  # type: ignore[arg-type]  # one of two fields
        else:
            still_open -= 1
