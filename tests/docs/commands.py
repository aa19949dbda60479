"""What runs each command that a document shows, word for word.

A runner is `path/below/tests.py::function`, or a file of the repository that holds the command itself.
"""

import ast

from tests.docs.documents import RUNS_ALL_OF_REUSE, Block, blocks, commands
from tools.repository import PROGRAM_DIRECTORY

SESSION = "docs/test_session.py::test_commands_of_a_session_do_in_order_what_the_document_says"
ANSWERS = "docs/test_session.py::test_command_that_needs_no_stack_answers"
ENGINE = "engine/test_documents.py::test_engine_accepts_the_commands_of_a_block_in_order"
EXAMPLES = "engine/test_running.py::test_up_of_an_example_takes_an_order_and_goes_with_ctrl_c_or_its_terminal"
INVENTORY = (
    "examples/test_inventory.py::"
    "test_demo_of_two_consumers_at_one_relay_holds_from_its_first_step_to_its_last"
)
PACKAGE = "engine/test_package.py::test_yaml_program_elsewhere_adds_the_package_as_printed_and_uses_it"
WHEEL = "engine/test_package.py::test_python_program_elsewhere_installs_the_package_as_printed_and_uses_it"
ALONE = "unit/test_wheel_alone.py"
TARGETS = "docs/test_targets.py"
CI = ".ci/run"
ACTIVATE = ". .venv/bin/activate"

RUN_BY = {
    "make test": CI,
    "make test-thorough": CI,
    "make test-engine": CI,
    "make workflows": CI,
    "make dist": CI,
    "make setup && . .venv/bin/activate": ENGINE,
    "make fix": TARGETS,
    "make lock": TARGETS,
    "make clean": TARGETS,
    ACTIVATE: ANSWERS,
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
    "(cd policy && python3 -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.txt)": ENGINE,
    "(cd plugin && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)": PACKAGE,
    "pulumi package add ../transactional-outbox/plugin": PACKAGE,
    "python3 -m venv .venv && . .venv/bin/activate": ALONE,
    "pip install '../transactional-outbox[local]'": ALONE,
    "printf 'name: shop\\nruntime: python\\n' > Pulumi.yaml": ALONE,
    "printf 'config:\\n  aws:region: eu-central-1\\n' > Pulumi.dev.yaml": ALONE,
    "python3 -m venv .venv": WHEEL,
    ".venv/bin/pip install ../transactional-outbox": WHEEL,
}

RECIPES = {
    "make demo": ("outbox demo", '"demo"', "outbox_local/test_demo.py"),
    "make soak": ("tools.soak", "tools.soak", "simulation/test_soak.py"),
    "make rights": ("tools.rights", "tools.rights", "outbox_cli/test_rights.py"),
    "make bench": ("tools.benchmarks", "tools.benchmarks", "tools/test_figures.py"),
    "make schema": ("plugin.describe", "plugin.describe", "unit/test_package.py"),
    "make picture": ("tools.picture", "tools.picture", "docs/test_picture.py"),
}
"""Targets: words of their recipe, the same in the test that runs what the recipe runs, smaller; and that test."""


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
        SESSION: {each for block in sessions() for each in commands(block)},
        ANSWERS: {ACTIVATE, *answering()},
        ALONE: {each for block in blocks("sh") if "[local]'" in block.text for each in commands(block)},
        ENGINE: {each for block in engine_blocks() for each in commands(block)},
    }


def text_of(runner: str) -> str:
    """What is written in a runner: a file, or one function with its parameters."""
    path, _, name = runner.partition("::")
    text = (PROGRAM_DIRECTORY / ("tests" if path.endswith(".py") else "") / path).read_text("utf-8")
    if not name:
        return text
    (function,) = [
        node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name == name
    ]
    first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
    return "\n".join(text.splitlines()[first - 1 : function.end_lineno])
