"""Text from outside as the verbs show it: on its own line, without power over the terminal, the shell or rich."""

import re
import shlex
from typing import Any

from rich.console import Console
from rich.text import Text

from outbox.texts import printable

# More marks on one character than any language writes climb over the lines above.
MARKS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]{5,}")
NOT_QUOTABLE = "EVENT_ID"


def shown(text: object) -> str:
    """A text on one line: control, bidirectional and invisible characters, and floods of marks, are spelt out."""
    return MARKS.sub(lambda marks: ascii(marks[0])[1:-1], printable(str(text)))


def styled(text: object, style: str = "") -> Text:
    """A text in a style, for rich."""
    return Text(shown(text), style)


def proposed(verb: str, argument: str) -> str:
    """A command to copy into a shell, in backticks; the argument comes from outside.

    bash, zsh and ksh read what is no plain text from octal bytes, whatever the terminal can show. No shell can pass
    a null byte: then a placeholder says what is missing.
    """
    if "\0" in argument:
        word = NOT_QUOTABLE
    elif argument.isascii() and argument.isprintable() and "`" not in argument:
        word = shlex.quote(argument)
    else:
        word = f"$'{''.join(map(_octal, argument))}'"
    # What begins like an option is none behind two hyphens.
    return f"`{verb} -- {word}`" if argument.startswith("-") else f"`{verb} {word}`"


class Screen(Console):
    """A console that takes no text for markup, for the name of an emoji, or for several lines."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Every plain text in a table or a line comes through here."""
        return super().render_str(shown(text), **settings)


def _octal(character: str) -> str:
    if character.isascii() and character.isprintable() and character not in "'\\`":
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
