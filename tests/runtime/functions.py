"""The functions of the stacks and of the examples, as their programs hand them to Lambda."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import files
from pathlib import Path

from outbox_local.resources.archive import zip_archive
from tests.unit.root_program import ROOT, run_root

STACKS = {
    "dev": (ROOT, "dev"),
    "prod": (ROOT, "prod"),
    "python": (ROOT / "examples" / "python", "dev"),
    "inventory": (ROOT / "examples" / "inventory", "dev"),
}
# What Lambda installs beside a function: the runtime itself, and the SDK that an archive may bring its own copy of.
RUNTIME = ("awslambdaric", "simplejson", "snapshot-restore-py")
SDK = ("boto3", "botocore", "s3transfer", "jmespath", "python-dateutil", "six", "urllib3")


@dataclass(frozen=True)
class DeployedFunction:
    """What Lambda starts a function with."""

    archive: bytes
    handler: str
    log_format: str
    variables: dict[str, str]

    @property
    def purpose(self) -> str:
        """The module of the handler."""
        return self.handler.partition(".")[0]


@cache
def functions_of(stack: str) -> dict[str, DeployedFunction]:
    """The functions of one program, by name."""
    folder, name = STACKS[stack]
    found = {}
    for registration in run_root(name, directory=folder).of_type("aws:lambda/function:Function"):
        inputs = registration.inputs
        found[registration.name.removesuffix("-function")] = DeployedFunction(
            archive=zip_archive(inputs["code"]),
            handler=inputs["handler"],
            log_format=inputs["loggingConfig"]["logFormat"],
            variables=inputs["environment"]["variables"],
        )
    return dict(sorted(found.items()))


def install(folder: Path, distributions: tuple[str, ...]) -> Path:
    """A folder with these packages alone: nothing else of the tests' environment can be imported from it."""
    folder.mkdir()
    for distribution in distributions:
        for top in {file.parts[0] for file in files(distribution) or ()}:
            if top != ".." and not top.endswith(".dist-info"):
                (folder / top).symlink_to(str(_location(distribution, top)))
    return folder


def _location(distribution: str, top: str) -> Path:
    [file, *_] = [each for each in files(distribution) or () if each.parts[0] == top]
    place = Path(str(file.locate()))
    return place.parents[len(file.parts) - 2] if len(file.parts) > 1 else place
