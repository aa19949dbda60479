"""Lengths of time in words."""

MILLISECONDS = 1000
MINUTE, HOUR, DAY = 60, 3600, 86400
NOT_KNOWN = "not known"


def duration(seconds: float | None) -> str:
    """A length of time in its two largest units, or that it is not known."""
    if seconds is None:
        return NOT_KNOWN
    if 0 < seconds < 1:
        return f"{seconds * MILLISECONDS:.0f} ms"
    if seconds < MINUTE:
        return f"{seconds:.3g} s"
    whole = int(seconds)
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    if whole < DAY:
        return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
    return f"{whole // DAY} d {whole % DAY // HOUR} h"
