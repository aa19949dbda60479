"""Texts: how long one is for AWS, which counts the bytes of its UTF-8 form, and how one is shown on a line."""


def utf8_bytes(text: str) -> int:
    """The bytes of a text in UTF-8; 0 where it has none, because half a surrogate pair is in it.

    JSON can name such a half and Python can hold it; AWS refuses the whole call that would send it.
    """
    if text.isascii():
        return len(text)
    try:
        return len(text.encode("utf-8"))
    except UnicodeEncodeError:
        return 0


def is_text(value: object) -> bool:
    """Whether a value is text that AWS takes where it may be empty."""
    return isinstance(value, str) and (value.isascii() or utf8_bytes(value) > 0)


def printable(text: str) -> str:
    """A text in which each character that could start another line, or hide in one, is spelt out."""
    return text if text.isprintable() else "".join(map(_spelt_out, text))


def _spelt_out(character: str) -> str:
    return character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
