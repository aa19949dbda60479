"""One Pulumi stack run by the real engine: project folder, state and engine home, all below one folder."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

from outbox_local.clients import Clients

REPOSITORY = Path(__file__).parents[1]
PROGRAM = ("__main__.py", "Pulumi.yaml", "Pulumi.dev.yaml", "Pulumi.prod.yaml", "components", "handlers")
WITHOUT_CACHES = shutil.ignore_patterns("__pycache__", ".venv")
COMMAND_TIMEOUT_SECONDS = 180
OUTPUT_LINES_SHOWN = 40
QUIET = ("--non-interactive", "--color", "never")
STAND_INS = REPOSITORY / "engine" / "bin"
OWN_LANGUAGE_HOSTS = REPOSITORY / "engine" / "language"


class EngineCommandError(RuntimeError):
    """Raised when a command of the CLI ends otherwise than it should; the message has the engine's last lines."""


@dataclass(frozen=True)
class Answer:
    """Output of one command of the CLI."""

    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        """All of it."""
        return self.stdout + self.stderr


@dataclass(frozen=True)
class Stack:
    """A stack of the project in `folder`, run by the engine against one local AWS."""

    name: str
    folder: Path
    environment: Mapping[str, str]

    def pulumi(self, *arguments: str, fails: bool = False, **variables: str) -> Answer:
        """Runs a command on this stack.

        Args:
            arguments: the command and its options.
            fails: whether it should end with an error.
            variables: on top of the stack's environment.

        Raises:
            EngineCommandError: it ended otherwise than said, or not at all.
        """
        command = ["pulumi", *arguments, *QUIET, "--cwd", str(self.folder)]
        if arguments[0] != "package":
            command += ["--stack", self.name]
        try:
            ended = subprocess.run(
                command,
                env={**self.environment, **variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=COMMAND_TIMEOUT_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            # What was read until then is bytes, whatever `text` says.
            so_far = b"".join(part for part in (late.stdout, late.stderr) if part).decode(errors="replace")
            self._fail(arguments, f"did not end in {COMMAND_TIMEOUT_SECONDS} seconds", so_far)
        answer = Answer(ended.stdout, ended.stderr)
        if bool(ended.returncode) != fails:
            self._fail(arguments, f"ended with exit code {ended.returncode}", answer.output)
        return answer

    def fail(self, message: str) -> NoReturn:
        """Ends what was wanted of a command that went wrong."""
        raise EngineCommandError(message)

    def _fail(self, arguments: tuple[str, ...], what: str, output: str) -> NoReturn:
        """Says what a command did, and the last lines that it printed."""
        last_lines = "\n".join(output.splitlines()[-OUTPUT_LINES_SHOWN:])
        self.fail(
            f"Stack {self.name!r}: `pulumi {' '.join(arguments)}` {what}. The engine's last lines:\n{last_lines}"
        )

    def init(self, **config: str) -> Self:
        """Makes the stack, with configuration on top of its file's."""
        self.pulumi("stack", "init")
        for key, value in config.items():
            self.configure(f"aws:{key}", value)
        return self

    def configure(self, key: str, value: str) -> None:
        """Sets a value of the stack's configuration."""
        self.pulumi("config", "set", key, value)

    def up(self, *options: str, fails: bool = False, **variables: str) -> Answer:
        """Deploys, without the preview before it."""
        return self.pulumi("up", "--yes", "--skip-preview", *options, fails=fails, **variables)

    def preview(self, *options: str, fails: bool = False) -> Answer:
        """Says what would be deployed."""
        return self.pulumi("preview", "--diff", *options, fails=fails)

    def planned(self, *options: str) -> dict[str, str]:
        """Steps of a preview by logical name, without the resources that stay as they are."""
        steps = json.loads(self.pulumi("preview", "--json", *options).stdout)["steps"]
        return {
            step["urn"].rsplit("::", 1)[1]: step["op"]
            for step in steps
            if step["op"] not in ("same", "create-replacement", "delete-replaced", "read")
        }

    def destroy(self, fails: bool = False) -> Answer:
        """Removes every resource."""
        return self.pulumi("destroy", "--yes", "--skip-preview", fails=fails)

    def outputs(self) -> dict[str, Any]:
        """The stack's exports."""
        outputs: dict[str, Any] = json.loads(self.pulumi("stack", "output", "--json").stdout)
        return outputs

    def resources(self) -> dict[str, dict[str, Any]]:
        """The stack's custom resources as the engine's state has them, by logical name."""
        state = json.loads(self.pulumi("stack", "export").stdout)["deployment"].get("resources", [])
        return {
            each["urn"].rsplit("::", 1)[1]: each
            for each in state
            if each["custom"] and not each["type"].startswith("pulumi:")
        }

    def ids(self) -> dict[str, str]:
        """The provider's id of each resource, by logical name: another id means another resource."""
        return {name: each["id"] for name, each in self.resources().items()}


def search_path(engine: Sequence[Path]) -> list[Path]:
    """Where the CLI finds itself and its plugins; the language hosts are ours only where the engine has none."""
    own = [host.name for host in OWN_LANGUAGE_HOSTS.iterdir()]
    has_own = any((folder / name).exists() for folder in engine for name in own)
    return [*engine, STAND_INS, *([] if has_own else [OWN_LANGUAGE_HOSTS])]


def copy_program(folder: Path, *names: str) -> Path:
    """Copies the root program, and further parts of the repository, to a folder where it may be changed."""
    folder.mkdir(parents=True)
    for name in (*PROGRAM, *names):
        source = REPOSITORY / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=WITHOUT_CACHES)
        else:
            shutil.copy(source, folder / name)
    for project in (folder, *(folder / name for name in names)):
        # Where the project files say that its environment is: the one that runs this.
        (project / ".venv").symlink_to(sys.prefix)
    return folder


def engine_environment(path: Sequence[Path], folder: Path, clients: Clients) -> dict[str, str]:
    """The whole environment of the CLI: nothing of the user's, state and plugins below the folder."""
    state = folder / "state"
    state.mkdir()
    return {
        "PATH": os.pathsep.join([*map(str, path), str(Path(sys.executable).parent), os.defpath]),
        "HOME": str(folder),
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_BACKEND_URL": f"file://{state}",
        "PULUMI_CONFIG_PASSPHRASE": "",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
        **clients.endpoint.environment,
    }
