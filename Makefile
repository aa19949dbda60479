# `make demo` and `make test` set up what they need; see README.md.
VENV := .venv
BIN := $(VENV)/bin
SUPPORTED_PYTHON := 3.11 to 3.14
PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$candidate -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null \
	&& { echo $$candidate; break; }; done)
DEMO_OPTIONS ?=
BENCH_OPTIONS ?=
EVENTS ?= 1000000
# One more than there are cores: a third of the time of tests is waiting for processes that they start.
TEST_WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Packages are installed without byte-code: where none may be kept, each of the many processes would compile them again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-thorough test-engine bench soak rights schema picture workflows dist setup check fix lock clean

demo: setup
	@$(BIN)/outbox demo $(DEMO_OPTIONS)

test: check
	@$(BIN)/pytest --numprocesses $(TEST_WORKERS) --dist worksteal -m "not thorough"

# Schedules of faults, by chance and in every interleaving of a small scope; every seeded bug; whole runs of stacks;
# every right taken away once; the functions under AWS's own runtime; the package installed as the documents say. Takes the engine as test-engine does.
test-thorough: setup
	@$(BIN)/python engine/build.py
	@$(BIN)/pytest tests --numprocesses $(TEST_WORKERS) --dist worksteal -m thorough

# Builds the Pulumi engine from Go modules, or takes the CLI on PATH; kept in a cache folder.
test-engine: setup
	@$(BIN)/python engine/build.py
	@$(BIN)/pytest tests/engine --numprocesses $(TEST_WORKERS) --dist worksteal -m "not thorough"

# Needs Go.
workflows:
	@go -C engine/actionlint tool actionlint $(CURDIR)/.github/workflows/*.yml

soak: setup
	@$(BIN)/python -m tools.soak --events $(EVENTS)

rights: setup
	@$(BIN)/python -m tools.rights

bench: setup
	@$(BIN)/python -m tools.benchmarks $(BENCH_OPTIONS)

# The package's public interface, and the tables of docs/settings.md; tests say when.
schema: setup
	@$(BIN)/python -m plugin.describe

# docs/demo.svg, from a real run.
picture: setup
	@$(BIN)/python -m tools.picture

# Wheel and source distribution below build/dist, their metadata checked.
dist: setup
	@rm -rf build/dist
	@$(BIN)/python -m build --no-isolation --outdir build/dist .
	@$(BIN)/twine check --strict build/dist/*
	@$(BIN)/python -m zipfile --list build/dist/*.whl

check: setup
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@cd policy && ../$(BIN)/mypy --config-file ../pyproject.toml .   # a program of its own, with its own __main__.py

fix: setup
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

setup: $(VENV)/.complete

# --no-compile halves the installation: Python compiles the few modules in use at first import.
$(VENV)/.complete: requirements-dev.txt pyproject.toml
	@"$(PYTHON)" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null \
		|| { echo "No Python $(SUPPORTED_PYTHON) found: install one, or name it with make PYTHON=/path/to/python3." >&2; exit 2; }
	@echo "Installing the pinned packages into $(VENV) with $$($(PYTHON) --version) (about a minute) ..."
	@$(PYTHON) -m venv --clear $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.txt
	@$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@
	@echo "Installed: $(VENV) is ready."

# Needs uv on PATH; resolves for every supported Python and platform at once.
lock:
	for name in requirements handlers/requirements policy/requirements requirements-dev; do \
		uv pip compile -q --universal --python-version 3.11 --generate-hashes \
			--custom-compile-command "make lock" $$name.in -o $$name.txt || exit 1; done

clean:
	rm -rf $(VENV) .outbox build .mypy_cache .ruff_cache .pytest_cache
