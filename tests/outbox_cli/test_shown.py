"""Text from outside: on one line, without power over the terminal, and quoted for a shell."""

import subprocess
import sys

import pytest
from hypothesis import given, settings

from outbox_cli.shown import proposed, shown
from tests.outbox_cli.foreign import NASTY, TEXTS, can_be_typed
from tests.outbox_cli.verbs import parsed

SHOW = r"""show() { printf '%s\0' "$#" "$@"; }"""
COMMANDS_LEAST = 100


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("order-created:a", "order-created:a"),
        ("größe 漢字 עברית", "größe 漢字 עברית"),
        ("\x1b[31mx\nunapplied  forged", "\\x1b[31mx\\nunapplied  forged"),
        ("a\u202eb\u2028c\u200bd\x9b\ud800", "a\\u202eb\\u2028c\\u200bd\\x9b\\ud800"),
        ("e" + "\u0301" * 4, "e" + "\u0301" * 4),
        ("e" + "\u0301" * 5 + "x", "e" + "\\u0301" * 5 + "x"),
        ("[/x] :warning:", "[/x] :warning:"),
    ],
)
def test_text_is_shown_on_one_line_with_what_has_power_over_a_terminal_spelt_out(
    text: str, line: str
) -> None:
    assert shown(text) == line


@settings(deadline=None)
@given(TEXTS)
def test_any_text_is_shown_in_printable_characters(text: str) -> None:
    assert shown(text).isprintable()


def test_command_of_plain_text_is_quoted_for_any_shell() -> None:
    assert proposed("outbox trace", "order-created:a") == "`outbox trace order-created:a`"
    assert proposed("outbox trace", "$(x) y") == "`outbox trace '$(x) y'`"
    assert proposed("outbox trace", "-x") == "`outbox trace -- -x`"
    assert proposed("outbox trace", "a\0b") == "`outbox trace EVENT_ID`"


def test_proposed_command_gives_the_verb_exactly_the_text(capsys: pytest.CaptureFixture[str]) -> None:
    """All of them in one shell, which takes most of the time."""
    texts = list(NASTY)

    @settings(max_examples=100, deadline=None, derandomize=True, database=None)
    @given(TEXTS)
    def add(text: str) -> None:
        texts.append(text)

    add()
    texts = [text for text in dict.fromkeys(texts) if text and can_be_typed(text)]
    commands = [proposed("outbox trace", text) for text in texts]
    script = "\n".join([SHOW, *(f"show {command.strip('`')}" for command in commands)])

    answer = subprocess.run(["bash", "-c", script], capture_output=True, check=True)

    words = iter(answer.stdout.decode("utf-8", "surrogateescape").split("\0"))
    for text in texts:
        outbox, *arguments = [next(words) for _ in range(int(next(words)))]
        assert outbox == "outbox"
        assert parsed(arguments)["event_or_order"] == text
    assert all(command.isascii() and command.isprintable() for command in commands)
    with capsys.disabled():
        sys.stdout.write(f" [{len(commands)} commands]")
    assert len(commands) >= COMMANDS_LEAST
