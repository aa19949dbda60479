"""What runs each command that a document shows, word for word; and for the few that nothing runs, why.

A runner is `path/below/tests.py::function`, or a file of the repository that holds the command itself.
"""

from local.paths import PROGRAM_DIRECTORY
from tests.docs.documents import RUNS_ALL_OF_REUSE, Block, blocks, commands

SESSION = "docs/test_session.py::test_commands_of_a_session_do_in_order_what_the_document_says"
ANSWERS = "docs/test_session.py::test_command_that_needs_no_stack_answers"
ENGINE = "engine/test_documents.py::test_engine_accepts_the_commands_of_a_block_in_order"
EXAMPLES = "engine/test_running.py::test_up_of_an_example_takes_an_order_and_goes_with_an_interrupt"
INVENTORY = (
    "examples/test_inventory.py::"
    "test_demo_of_two_consumers_at_one_relay_holds_from_its_first_step_to_its_last"
)
CI, WORKFLOW = ".ci/run", ".github/workflows/preview.yml"

RUN_BY = {
    "make test": CI,
    "make test-thorough": CI,
    "make test-engine": CI,
    "make workflows": CI,
    "outbox local up": SESSION,
    "outbox local up --stack prod --region eu-central-1 --speed 30": SESSION,
    "outbox local down": SESSION,
    "outbox place order-a 1000": SESSION,
    "outbox send order-a 1000": SESSION,
    "outbox trace order-a": SESSION,
    "outbox status": SESSION,
    "outbox cost": ANSWERS,
    "outbox capacity --events-per-second 5000": ANSWERS,
    ".venv/bin/python -m engine up examples/yaml": EXAMPLES,
    ".venv/bin/python -m engine up examples/python": EXAMPLES,
    ".venv/bin/python -m examples.inventory.demo": INVENTORY,
    ".venv/bin/python -m desk.try_it": RUNS_ALL_OF_REUSE,
    "PYTHONPATH=desk/handlers .venv/bin/python -m pytest desk": RUNS_ALL_OF_REUSE,
    "cd desk": ENGINE,
    "outbox place order-a 1000 --aws dev": ENGINE,
    "pulumi stack init dev": ENGINE,
    "pulumi stack init prod": ENGINE,
    "pulumi up": ENGINE,
    "pulumi up --stack prod": ENGINE,
    "pulumi destroy": ENGINE,
    "pulumi config set aws:region <your region> --stack prod": ENGINE,
    "pulumi preview --policy-pack policy": ENGINE,
    "pulumi preview --policy-pack policy --policy-pack-config policy-config.json": ENGINE,
    "(cd policy && python3 -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.txt)": WORKFLOW,
}

RECIPES = {
    "make demo": ("outbox demo", '"demo"', "local/test_demo.py"),
    "make soak": ("ops.soak", "ops.soak", "simulation/test_soak.py"),
    "make rights": ("ops.rights", "ops.rights", "ops/test_rights.py"),
    "make bench": ("benchmarks", "benchmarks", "benchmarks/test_figures.py"),
    "make schema": ("plugin.describe", "plugin.describe", "unit/test_package.py"),
    "make picture": ("ops.demo.picture", "ops.demo.picture", "docs/test_picture.py"),
}
"""Targets: words of their recipe, the same in the test that runs what the recipe runs, smaller; and that test."""

NOT_RUN_HERE = {
    "make setup && . .venv/bin/activate": "the tests run in what `make setup` makes, by the paths of its programs",
    ". .venv/bin/activate": "it changes a shell, and the tests name the environment's programs by their paths",
    "make fix": "it changes the sources; `make check` runs the same two tools without that",
    "make lock": "it asks PyPI, whose answer changes from day to day",
    "make clean": "it removes the environment that the tests run in",
    ".venv/bin/pip install ../transactional-outbox": (
        "it fetches Pulumi from PyPI; tests/engine/test_package.py builds and installs the same wheel without it"
    ),
    "pulumi package add ../transactional-outbox/plugin": (
        "it ends with the language host of TypeScript, Go, C# or Java, which the engine built here has not; "
        "tests/engine/test_package.py reads the same folder's schema and uses it from YAML"
    ),
    "(cd plugin && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)": (
        "it fetches Pulumi from PyPI; the engine tests give the plugin the tests' own environment"
    ),
}
"""Each with the reason."""


def engine_blocks() -> list[Block]:
    """The blocks that want the Pulumi CLI."""
    return [block for block in blocks("sh") if any(RUN_BY.get(each) == ENGINE for each in commands(block))]


def sessions() -> list[Block]:
    """The blocks that start a local AWS and stop it."""
    return [block for block in blocks("sh") if "outbox local up" in block.text]


def answering() -> list[str]:
    """The commands of the operator's verbs that reckon and look at no stack."""
    shown = {each for block in blocks("sh") for each in commands(block)}
    return sorted(each for each in shown if each.startswith(("outbox cost", "outbox capacity")))


def taken_from_documents() -> dict[str, set[str]]:
    """The commands that a runner reads out of the documents and runs."""
    return {
        SESSION: {each for block in sessions() for each in commands(block) if each.startswith("outbox ")},
        ANSWERS: {*answering()},
        ENGINE: {each for block in engine_blocks() for each in commands(block)},
    }


def text_of(runner: str) -> str:
    """The file of a runner."""
    path = runner.partition("::")[0]
    return (PROGRAM_DIRECTORY / ("tests" if path.endswith(".py") else "") / path).read_text("utf-8")
