"""Standard output and error that take any text in any encoding, and say in one sentence when they take no more."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO, cast

from outbox_cli.errors import AnswerNotWrittenError


class Stream:
    """A stream of the process, or none where the shell has closed it."""

    def __init__(self, stream: TextIO | None, *, is_answer: bool) -> None:
        self._stream = stream
        self._is_answer = is_answer
        self._error: OSError | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Writes a text; what the encoding does not have is spelt out."""
        if (
            self._error is not None
        ):  # the first time, it may have been a library's own check that swallowed it
            self._failed(self._error)
        try:
            if self._stream is None:
                raise OSError(errno.EBADF, "it is closed")
            encoding = self._stream.encoding or "utf-8"
            self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        except OSError as error:
            self._failed(error)
        return len(text)

    def flush(self) -> None:
        """Hands over what was written."""
        try:
            if self._stream is not None:
                self._stream.flush()
        except OSError as error:
            self._failed(error)

    def _failed(self, error: OSError) -> None:
        """Ends the writing: without an answer the verb ends, without its progress it goes on.

        What is left in the buffer goes nowhere, or Python would fail once more at its end.
        """
        self._error = error
        with suppress(OSError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
        if self._is_answer:
            raise AnswerNotWrittenError(
                f"The answer could not be written to standard output ({error.strerror}); what was asked may have been "
                "done: check `outbox status`, then repeat the command with another output."
            ) from error


@contextmanager
def guarded_streams() -> Iterator[None]:
    """Standard output and error of the block."""
    output = cast("TextIO", Stream(sys.stdout, is_answer=True))
    with redirect_stdout(output), redirect_stderr(cast("TextIO", Stream(sys.stderr, is_answer=False))):
        yield
