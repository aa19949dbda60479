"""The distribution alone, in an empty folder, as the README says: installed from the index, without a checkout."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from components.package import VERSION
from tests.checkout import copy_checkout
from tests.docs.documents import FENCED, README
from tests.outbox_cli.verbs import OUTPUTS, all_verbs
from tools.repository import PROGRAM_DIRECTORY

SECTION = re.split(r"^## ", README.read_text("utf-8"), flags=re.MULTILINE)[2]
INSTALL, PROGRAM, SESSION = (found[2] for found in FENCED.finditer(SECTION))
PATIENCE_SECONDS = 600


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reader's folder, after the commands and with the program that the README prints."""
    folder = tmp_path_factory.mktemp("reader") / "shop"
    folder.mkdir()
    copy_checkout(folder.with_name("transactional-outbox"))
    in_a_shell(INSTALL, folder)
    (folder / "__main__.py").write_text(PROGRAM)
    return folder


def in_a_shell(commands: str, folder: Path, *, code: int = 0) -> str:
    done = subprocess.run(
        ["sh", "-ec", commands],
        cwd=folder,
        capture_output=True,
        text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "AWS_EC2_METADATA_DISABLED": "true"},
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def outbox(arguments: str, folder: Path, *, code: int = 0) -> str:
    return in_a_shell(f". .venv/bin/activate\noutbox {arguments}", folder, code=code)


@pytest.mark.thorough
def test_distribution_alone_does_what_the_readme_prints_and_names_a_missing_extra(shop: Path) -> None:
    ran = in_a_shell(". .venv/bin/activate\n" + SESSION.replace("local up", "local up --port 0"), shop)

    assert "ACCEPTED order-created:order-a" in ran
    assert outbox("--version", shop) == f"outbox {VERSION}\n"
    listing = in_a_shell("ls .venv/lib/python3*/site-packages", shop).split()
    assert {"outbox", "outbox_cli", "outbox_local", "transactional_outbox"} <= set(listing)
    assert not {"tests", "tools", "engine", "components", "handlers"} & set(listing)
    for verb in all_verbs():
        assert f"Usage: outbox {verb}" in outbox(f"{verb} --help", shop)

    (shop / "dev.json").write_text(json.dumps(OUTPUTS))
    assert outbox("status --aws dev.json", shop, code=1).count("\n") == 1  # no credentials here
    in_a_shell(".venv/bin/pip uninstall --yes ministack", shop)
    assert "pip install 'transactional-outbox[local]'" in outbox("local up --port 0", shop, code=1)
    in_a_shell(".venv/bin/pip uninstall --yes typer", shop)
    assert outbox("status", shop, code=2) == (
        "`outbox` needs typer: run `pip install 'transactional-outbox[cli]'`.\n"
    )


def test_documents_tell_users_to_import_nothing_that_is_not_in_the_wheel() -> None:
    told = {
        name
        for document in (README, *(PROGRAM_DIRECTORY / "docs").glob("*.md"))
        for _, text in re.findall(r"^```(python)\n(.*?)^```$", document.read_text("utf-8"), re.M | re.S)
        for name in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE)
    }

    assert "transactional_outbox" in told
    assert not {"components", "engine", "examples", "tests", "tools", "outbox_cli", "outbox_local"} & told
