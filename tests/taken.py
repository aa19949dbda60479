"""How long a long test took, a file for each in build/taken: a bound that nobody looks at is none."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tools.repository import PROGRAM_DIRECTORY

FOLDER = PROGRAM_DIRECTORY / "build" / "taken"


@contextmanager
def taken(name: str, *, seconds_most: float, of: str = "seconds", **facts: object) -> Iterator[None]:
    """Records the seconds of a block, by the clock and of this process alone, and holds one of the two to a bound.

    Args:
        name: Of the file.
        seconds_most: The bound.
        of: `seconds`, or `cpu_seconds` where other work of the machine shall play no part.
        facts: What else belongs into the file.
    """
    by_clock, by_processor = time.monotonic(), time.process_time()
    yield
    seconds = {"seconds": time.monotonic() - by_clock, "cpu_seconds": time.process_time() - by_processor}
    FOLDER.mkdir(parents=True, exist_ok=True)
    figures = {**facts, **{each: round(value, 1) for each, value in seconds.items()}}
    (FOLDER / f"{name}.json").write_text(json.dumps({**figures, "bound": f"{of} {seconds_most:g}"}) + "\n")
    assert seconds[of] <= seconds_most, f"{name} took {seconds[of]:.0f} {of}, more than {seconds_most:g}"
