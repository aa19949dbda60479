"""Search for the engine and its build; the commands on PATH are stand-ins here, nothing is compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.build import MODULES, pins_of


@pytest.fixture
def commands(tmp_path: Path) -> Path:
    """A folder that is the whole PATH."""
    folder = tmp_path / "commands"
    folder.mkdir()
    return folder


def add(folder: Path, name: str, script: str = "") -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


def build(commands: Path, cache: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, str(MODULES / "build.py")],
        env={"PATH": str(commands), "XDG_CACHE_HOME": str(cache), "HOME": os.devnull},
        capture_output=True,
        text=True,
        check=False,
    )


def test_neither_engine_nor_go_ends_with_one_sentence_on_what_to_install(
    commands: Path, tmp_path: Path
) -> None:
    ended = build(commands, tmp_path)

    assert ended.returncode == 1
    assert ended.stderr.count("\n") == 1
    assert "need a Pulumi CLI 3.272 or newer on PATH" in ended.stderr
    assert "or Go on PATH" in ended.stderr


@pytest.mark.parametrize(
    ("version", "hosts", "is_taken"),
    [
        ("v3.274.1", ("python", "yaml"), True),
        ("v3.301.0", ("python", "yaml"), True),
        ("v3.271.9", ("python", "yaml"), False),
        ("v4.300.0", ("python", "yaml"), False),
        ("v3.274.1", ("python",), False),
        ("what", ("python", "yaml"), False),
    ],
)
def test_installed_cli_is_taken_when_it_is_supported_and_complete(
    commands: Path, tmp_path: Path, version: str, hosts: tuple[str, ...], is_taken: bool
) -> None:
    add(commands, "pulumi", f"echo {version}")
    for host in hosts:
        add(commands, f"pulumi-language-{host}")

    ended = build(commands, tmp_path)

    assert (ended.returncode == 0) == is_taken


def test_both_parts_are_built_once_into_the_cache_folder(commands: Path, tmp_path: Path) -> None:
    built = 'for argument; do case "$before" in -o) : > "$argument";; esac; before="$argument"; done'
    add(commands, "go", f'if [ "$1" = list ]; then echo v9.8.7; else {built}; fi')

    first = build(commands, tmp_path / "cache")
    second = build(commands, tmp_path / "cache")

    made = sorted(path.name for path in (tmp_path / "cache").rglob("pulumi*"))
    assert made == ["pulumi", "pulumi-language-yaml"]
    assert (first.returncode, second.returncode) == (0, 0)
    assert "Building pulumi v9.8.7" in first.stderr
    assert second.stderr == ""


def test_build_that_fails_shows_its_last_lines_and_leaves_no_engine(commands: Path, tmp_path: Path) -> None:
    add(commands, "go", 'if [ "$1" = list ]; then echo v9.8.7; else echo "no space left" >&2; exit 1; fi')

    ended = build(commands, tmp_path / "cache")

    assert ended.returncode == 1
    assert ended.stderr.endswith("Its last lines:\nno space left\n")
    assert "Traceback" not in ended.stderr
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_cached_engine_is_right_as_long_as_its_own_sources_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module m")
    (tmp_path / "main.go").write_text("package main")
    before = pins_of(tmp_path)

    (tmp_path / ".DS_Store").write_text("a file manager's")
    beside = pins_of(tmp_path)
    (tmp_path / "main.go").write_text("package main // changed")

    assert (beside == before, pins_of(tmp_path) == before) == (True, False)
