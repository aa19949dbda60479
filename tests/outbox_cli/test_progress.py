"""Progress of long work: kept current on a terminal, a line now and then elsewhere."""

import io

from rich.console import Console

from outbox_cli.progress import progress

LINE_ERASED = "\x1b[1A\x1b[2K"


def test_progress_elsewhere_than_on_a_terminal_is_a_line_every_ten_seconds() -> None:
    written, now = io.StringIO(), 0.0

    with progress("counting", Console(file=written), clock=lambda: now) as tell:
        for second in range(25):
            now = float(second)
            tell(f"{second} counted")

    assert written.getvalue() == "10 counted\n20 counted\n"


def test_progress_on_a_terminal_is_taken_away_at_the_end() -> None:
    written = io.StringIO()
    console = Console(file=written, force_terminal=True, color_system=None)

    with progress("counting ...", console) as tell:
        tell("7 counted")

    assert "7 counted" in written.getvalue()
    assert written.getvalue().endswith(LINE_ERASED)
