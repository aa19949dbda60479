"""Environment variables of the functions, read once at import."""

import secrets
from collections.abc import Callable, Mapping

from outbox.errors import SettingError


def required(environment: Mapping[str, str], name: str, meaning: str) -> str:
    """The value of one variable.

    Raises:
        SettingError: The variable is missing or blank.
    """
    value = environment.get(name, "").strip()
    if not value:
        raise SettingError(
            f"The environment variable {name} is missing or empty: set it to {meaning} and deploy again."
        )
    return value


def queue_urls(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The URLs of every queue an event goes to: QUEUE_URLS (space-separated), else QUEUE_URL.

    Raises:
        SettingError: Neither variable has a value.
    """
    several = environment.get("QUEUE_URLS", "").split()
    return tuple(several) or (required(environment, "QUEUE_URL", "the URL of the delivery queue"),)


def aggregate_shard(
    environment: Mapping[str, str], *, choose: Callable[[int], int] = secrets.randbelow
) -> int:
    """The shard of a spread total that this execution environment adds to: 0 up to AGGREGATE_SHARDS - 1.

    Chosen once, at import: executions that run beside one another rarely meet on an item, and a batch still
    merges into one update. Without AGGREGATE_SHARDS there is one shard, number 0.

    Raises:
        SettingError: AGGREGATE_SHARDS is not a whole number of 1 or more.
    """
    text = environment.get("AGGREGATE_SHARDS", "1")
    if not (text.isascii() and text.isdecimal() and int(text) >= 1):
        raise SettingError(
            f"The environment variable AGGREGATE_SHARDS is {text!r}: "
            "set it to a whole number of 1 or more and deploy again."
        )
    return choose(int(text))


def whole_number(environment: Mapping[str, str], name: str, *, default: int | None = None) -> int:
    """The whole number in one variable; without a default the variable has to be there.

    Raises:
        SettingError: It is missing, or no whole number of 0 or more.
    """
    text = environment.get(name, "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdecimal()):
        raise SettingError(
            f"The environment variable {name} is {text!r}: set it to a whole number and deploy again."
        )
    return int(text)
