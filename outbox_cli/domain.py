"""Domain of a stack: the object `DOMAIN` in the file that the program's Pulumi.yaml names, or the walkthrough's."""

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import outbox
from outbox.domain import Domain
from outbox_cli.errors import WrongUseError
from outbox_cli.stack.deployed import Stack
from outbox_local.errors import ProgramError
from outbox_local.paths import PROJECT_FILE, program_directory
from outbox_local.yaml_files import read_mapping

_LIBRARY = Path(outbox.__path__[0]).parent
# In the installed package, and in a checkout.
HANDLERS = next(
    each
    for each in (_LIBRARY / "transactional_outbox" / "handlers", _LIBRARY)
    if (each / "orders.py").is_file()
)


def domain_of(stack: Stack) -> Domain | None:
    """The domain whose name the stack exports; None where no object of this name is known.

    Raises:
        WrongUseError: the program names an object that cannot be read.
    """
    name = stack.outputs.get("domain")
    if not isinstance(name, str):
        return None
    file = named_file()
    known = [*([load_domain(file)] if file else []), walkthrough()]
    return next((domain for domain in known if domain.name == name), None)


def require_domain(stack: Stack) -> Domain:
    """The domain of a stack.

    Raises:
        WrongUseError: it is not known; nothing was changed.
    """
    domain = domain_of(stack)
    if domain is None:
        raise WrongUseError(
            f"What a command of the stack {stack.name!r} looks like is not known, so nothing is changed. Export "
            "`domain` and name its object in Pulumi.yaml (docs/reuse.md), or use `outbox send FILE`."
        )
    return domain


def named_file() -> Path | None:
    """The file of the domain's object that the project file of the working directory names.

    Raises:
        ProgramError: the project file is no YAML.
        WrongUseError: what it has there is no name of a file.
    """
    try:
        folder = program_directory()
    except ProgramError:  # none is needed for a stack on AWS
        return None
    return _named_in(folder)


@cache
def _named_in(folder: Path) -> Path | None:
    project = folder / PROJECT_FILE
    options = read_mapping(project).get("outbox")
    if options is None:
        return None
    if not isinstance(options, dict) or "domain" not in options:
        raise WrongUseError(f"outbox in {project} must be a mapping with `domain`, but is {options!r}.")
    if not isinstance(options["domain"], str):
        raise WrongUseError(
            f"outbox.domain in {project} must be the path of a Python file, but is {options['domain']!r}."
        )
    return folder / options["domain"]


def walkthrough() -> Domain:
    """The walkthrough's own domain, whatever the program names."""
    return load_domain(HANDLERS / "domain.py")


@cache
def load_domain(file: Path) -> Domain:
    """The object `DOMAIN` of a file.

    Raises:
        WrongUseError: the file cannot be loaded, or has no such object.
    """
    if not file.is_file():
        raise WrongUseError(f"{file}, which outbox.domain names, is no file.")
    try:
        domain = getattr(load_module(file), "DOMAIN", None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # the user's own code, which may raise anything, or exit
        raise WrongUseError(f"{file} cannot be loaded: {type(error).__name__}: {error}.") from error
    if not isinstance(domain, Domain):
        found = "has none" if domain is None else f"it is {domain!r}"
        raise WrongUseError(f"{file} must have DOMAIN = Domain(...), but {found}.")
    return domain


def load_module(file: Path) -> ModuleType:
    """A module by its path. It finds the modules beside it, as on Lambda; nobody else does, then or later."""
    beside = {each.stem for each in file.parent.glob("*.py")}
    hidden = {name: sys.modules.pop(name) for name in beside & sys.modules.keys()}
    spec = spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise ImportError("it is no Python file")
    module = sys.modules[file.stem] = module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(file.parent))
        for name in beside:
            sys.modules.pop(name, None)
        sys.modules.update(hidden)
    return module
