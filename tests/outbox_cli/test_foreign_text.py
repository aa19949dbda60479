"""Any text from outside, through every verb, on any terminal: it is shown, and has no other power."""

import itertools
import json
import re
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from outbox_cli.exit_codes import CHECK_FAILED, DONE, WRONG_USE
from tests.outbox_cli.foreign import (
    NASTY,
    TEXTS,
    Foreign,
    Ran,
    Screen,
    arguments_of,
    can_be_typed,
    put_in_place,
    run_on,
)
from tests.outbox_cli.verbs import all_verbs

STYLES = re.compile(r"\x1b\[(?:\?25[lh]|1A|2K|(?!8m)[0-9;]+m)|\r")  # of rich
PROPOSED = re.compile(r"`(outbox trace .*?)`")
EXAMPLES, EXAMPLES_THOROUGH = 4, 250
TEXTS_AN_EXAMPLE = 6


def test_every_verb_is_run_with_text_from_outside(tmp_path: Path) -> None:
    assert set(arguments_of(tmp_path)) == {str(verb) for verb in all_verbs()}


@dataclass(frozen=True)
class Terminal:
    """How an answer is shown."""

    columns: int
    encoding: str
    as_json: bool
    is_terminal: bool


TERMINALS = st.builds(
    Terminal, st.integers(20, 200), st.sampled_from(["utf-8", "ascii"]), st.booleans(), st.booleans()
)


def each_run(
    monkeypatch: pytest.MonkeyPatch, folder: Path, texts: list[str], on: Terminal
) -> Iterator[tuple[str, Ran]]:
    """Each verb in a world of all the texts, given the first one that can be typed."""
    typed = next(filter(can_be_typed, texts), "x")
    for words, arguments in arguments_of(folder).items():
        for some in arguments(typed):
            with monkeypatch.context() as patch:
                put_in_place(patch, Foreign(texts))
                out, err = (Screen(on.encoding, is_terminal=on.is_terminal) for _ in range(2))
                options = ["--json"] if on.as_json else []
                code = run_on(patch, [*words.split(), *options, *some], out, err, on.columns)
            yield words, Ran(code, out.text, err.text)


def require_plain(words: str, ran: Ran, on: Terminal) -> None:
    """No text took power over the terminal, and each answer is of its form."""
    assert ran.code in (DONE, CHECK_FAILED, WRONG_USE), (words, ran)
    assert "fault of its own" not in ran.err, (words, ran)
    for shown in (ran.out, ran.err):
        plain = STYLES.sub("", shown) if on.is_terminal else shown
        assert [each for each in plain if each != "\n" and not each.isprintable()] == [], (words, ran)
    if on.as_json and ran.out and not ran.out.startswith("Usage: "):  # where --help is the text
        assert ran.out.count("\n") == 1, (words, ran)
        assert isinstance(json.loads(ran.out), dict)


def require_right_commands(ran: Ran, texts: list[str]) -> None:
    ids = {f"{text}{end}" for text in texts for end in ("", "parked")}
    for command in PROPOSED.findall(ran.out + ran.err):
        words = shlex.split(command)
        assert words[-1] in ids | {"EVENT_ID"} or words[-1].startswith("$"), command
        assert words[:-1] in (["outbox", "trace"], ["outbox", "trace", "--"])


@pytest.mark.parametrize("as_json", [False, True])
def test_text_that_is_known_to_be_nasty_goes_through_every_verb_as_text(
    as_json: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    on = Terminal(80, "utf-8", as_json=as_json, is_terminal=False)

    for words, ran in each_run(monkeypatch, tmp_path, list(NASTY), on):
        require_plain(words, ran, on)
        require_right_commands(ran, list(NASTY))


def search(monkeypatch: pytest.MonkeyPatch, folder: Path, examples: int) -> int:
    """How many texts went through every verb."""
    gone_through = 0

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(TEXTS, min_size=TEXTS_AN_EXAMPLE, max_size=TEXTS_AN_EXAMPLE, unique=True), TERMINALS)
    def each(texts: list[str], on: Terminal) -> None:
        nonlocal gone_through
        # One line more or less tells of a line break that was not spelt out.
        unbroken = [text.replace("\n", "\t") for text in texts]
        comparable = unbroken != texts and len(set(unbroken)) == len(texts) and not on.is_terminal
        others = each_run(monkeypatch, folder, unbroken, on) if comparable else itertools.repeat(None)
        for (words, ran), other in zip(each_run(monkeypatch, folder, texts, on), others, strict=False):
            require_plain(words, ran, on)
            require_right_commands(ran, texts)
            assert other is None or ran.out.count("\n") == other[1].out.count("\n"), (words, ran, other)
        gone_through += len(texts)

    each()
    return gone_through


def test_any_text_goes_through_every_verb_as_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    texts = search(monkeypatch, tmp_path, EXAMPLES)

    with capsys.disabled():
        sys.stdout.write(f" [{texts} texts through {len(all_verbs())} verbs]")
    assert texts >= EXAMPLES * TEXTS_AN_EXAMPLE


@pytest.mark.thorough
def test_many_texts_go_through_every_verb_as_text(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    texts = search(monkeypatch, tmp_path, EXAMPLES_THOROUGH)

    with capsys.disabled():
        sys.stdout.write(f" [{texts} texts through {len(all_verbs())} verbs]")
    assert texts >= EXAMPLES_THOROUGH * TEXTS_AN_EXAMPLE
