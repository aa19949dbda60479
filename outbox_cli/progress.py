"""Shows on standard error how far long work is: one line kept current on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from outbox_cli.shown import Screen, styled

PLAIN_LINE_SECONDS = 10.0


@contextmanager
def progress(
    what: str, console: Console | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[str], None]]:
    """Gives a function to tell how far the work is.

    Args:
        what: shown on a terminal until the first word of it.
        console: where to show it; standard error if not given.
        clock: seconds. Elsewhere than on a terminal a line is written at most every ten of them.
    """
    console = console or Screen(stderr=True)
    if console.is_terminal:
        with console.status(styled(what)) as status:
            yield lambda words: status.update(styled(words))
        return
    last = clock()

    def tell(words: str) -> None:
        nonlocal last
        if clock() - last >= PLAIN_LINE_SECONDS:
            last = clock()
            console.print(words, soft_wrap=True)

    yield tell
