"""Which test, or which step of the checks of a pull request, runs each command that a document shows.

The longest beginning that fits a command counts. A value is `path/below/tests.py::function`, or a file of the
repository that holds the command itself.
"""

from tests.docs.documents import RUNS_ALL_OF_REUSE

DEMO = "local/test_demo.py::test_demo_shows_the_walkthroughs_numbers_and_leaves_nothing_behind"
SESSION = "docs/test_session.py::test_commands_of_the_readme_do_in_order_what_it_says"
INVENTORY = (
    "examples/test_inventory.py::"
    "test_demo_of_two_consumers_at_one_relay_holds_from_its_first_step_to_its_last"
)
LIFECYCLE = "engine/test_lifecycle.py::test_two_stacks_in_one_account_do_not_collide"
PACKAGE = "engine/test_package.py::test_yaml_program_elsewhere_uses_the_components_through_the_package"
ENGINE = "engine/test_running.py::test_up_of_an_example_takes_an_order_and_goes_with_an_interrupt"
CI, WORKFLOW = ".ci/run", ".github/workflows/preview.yml"

RUN_BY = {
    "make demo": DEMO,
    "make test": CI,
    "make test-thorough": CI,
    "make test-engine": CI,
    "make workflows": CI,
    "make setup && . .venv/bin/activate": CI,  # each target it runs begins with it
    "make fix": "docs/test_commands.py::test_targets_that_are_run_by_hand_are_there",
    "make lock": "docs/test_commands.py::test_targets_that_are_run_by_hand_are_there",
    "make clean": "docs/test_commands.py::test_targets_that_are_run_by_hand_are_there",
    "make soak": "simulation/test_soak.py",
    "make rights": "ops/test_rights.py::test_rights_are_each_needed_and_used_and_the_guarantees_say_so",
    "make bench": "benchmarks/test_figures.py",
    "make schema": "unit/test_package.py::test_tables_of_the_document_are_the_schemas",
    "make picture": "docs/test_picture.py::test_picture_shows_every_line_of_a_result",
    ". .venv/bin/activate": SESSION,
    "outbox local": SESSION,
    "outbox place": SESSION,
    "outbox send": SESSION,
    "outbox trace": SESSION,
    "outbox status": SESSION,
    "outbox cost": "ops/test_cost.py",
    "outbox capacity": "ops/test_capacity.py",
    ".venv/bin/python -m examples.inventory.demo": INVENTORY,
    ".venv/bin/python -m engine up examples/yaml": ENGINE,
    ".venv/bin/python -m engine up examples/python": ENGINE,
    ".venv/bin/pip install ../transactional-outbox": "engine/test_package.py::"
    "test_python_program_in_an_empty_environment_uses_the_installed_wheel",
    "cd desk": LIFECYCLE,
    ".venv/bin/python -m desk.try_it": RUNS_ALL_OF_REUSE,
    "PYTHONPATH=desk/handlers": RUNS_ALL_OF_REUSE,
    "pulumi stack init": LIFECYCLE,
    "pulumi up": LIFECYCLE,
    "pulumi destroy": LIFECYCLE,
    "pulumi config set": LIFECYCLE,
    "pulumi preview": "engine/test_policy.py::test_our_stacks_are_clean_before_and_after_they_exist",
    "pulumi package add": PACKAGE,
    "(cd policy && python3 -m venv .venv && .venv/bin/pip install --require-hashes -r requirements.txt)": WORKFLOW,
    "(cd plugin && python3 -m venv .venv && .venv/bin/pip install -r requirements.txt)": PACKAGE,
}


def run_by(command: str) -> str | None:
    """Who runs a command, or nobody."""
    found = [known for known in RUN_BY if command == known or command.startswith(f"{known} ")]
    return RUN_BY[max(found, key=len)] if found else None
