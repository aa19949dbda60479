"""Environment variables of the functions, checked when a function starts."""

import json
import os
import secrets
from collections.abc import Callable, Mapping
from typing import Any

from outbox.errors import SettingError

# Values are shown in ASCII: Lambda's runtime cannot report another letter when a function does not start.
MOST_DIGITS = 10  # of epoch seconds
MOST_SHOWN = 40  # characters of a value in its error


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
        SettingError: Neither variable has a value, or one of the values is no URL.
    """
    several = environment.get("QUEUE_URLS", "").split()
    return tuple(_url("QUEUE_URLS", each) for each in several) or (queue_url(environment),)


def queue_types(environment: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The event types of each queue that does not want all: QUEUE_TYPES, a JSON object of lists by URL.

    Raises:
        SettingError: It is something else.
    """
    given = _json(environment, "QUEUE_TYPES", "{}")
    if not isinstance(given, dict) or not all(map(_are_names, given.values())):
        raise SettingError(
            "The environment variable QUEUE_TYPES must be a JSON object of lists of event types: deploy it again."
        )
    return {url: frozenset(names) for url, names in given.items()}


def event_types(environment: Mapping[str, str]) -> frozenset[str]:
    """The event types that a consumer gets, empty for all: EVENT_TYPES, a JSON list.

    Raises:
        SettingError: It is something else.
    """
    given = _json(environment, "EVENT_TYPES", "[]")
    if not _are_names(given):
        raise SettingError(
            "The environment variable EVENT_TYPES must be a JSON list of event types: deploy it again."
        )
    return frozenset(given)


def _json(environment: Mapping[str, str], name: str, default: str) -> Any:
    try:
        return json.loads(environment.get(name) or default)
    except ValueError:
        return None


def _are_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def queue_url(environment: Mapping[str, str]) -> str:
    """The URL in QUEUE_URL.

    Raises:
        SettingError: The variable has no value, or one that is no URL.
    """
    return _url("QUEUE_URL", required(environment, "QUEUE_URL", "the URL of the delivery queue"))


def _url(name: str, value: str) -> str:
    # SQS refuses the name of a queue by the code by which it refuses a body: every event would be parked.
    if not value.startswith(("https://", "http://")) or "," in value or " " in value:
        several = ", or URLs with spaces between them," if name == "QUEUE_URLS" else ""
        raise SettingError(
            f"The environment variable {name} has {value!a}: set it to the URL of a queue{several} and deploy again."
        )
    return value


def aggregate_shard(
    environment: Mapping[str, str], *, choose: Callable[[int], int] = secrets.randbelow
) -> int:
    """The shard of a spread total that this execution environment adds to: 0 up to AGGREGATE_SHARDS - 1.

    Chosen once, at import: executions that run beside one another rarely meet on an item, and a batch still
    merges into one update. Without AGGREGATE_SHARDS there is one shard, number 0.

    Raises:
        SettingError: AGGREGATE_SHARDS is not a whole number of 1 or more.
    """
    is_spread = "AGGREGATE_SHARDS" in environment
    return choose(whole_number(environment, "AGGREGATE_SHARDS", least=1) if is_spread else 1)


def whole_number(
    environment: Mapping[str, str], name: str, *, default: int | None = None, least: int = 0
) -> int:
    """The whole number in one variable; without a default the variable has to be there.

    Raises:
        SettingError: It is missing, no whole number, less than the least, or of more digits than any setting has.
    """
    text = environment.get(name, "")
    if not text and default is not None:
        return default
    if not (text.isascii() and text.isdecimal() and len(text) <= MOST_DIGITS and int(text) >= least):
        raise SettingError(
            f"The environment variable {name} is {text[:MOST_SHOWN]!a}: "
            f"set it to a whole number of {least} or more, with {MOST_DIGITS} digits at most, and deploy again."
        )
    return int(text)


# What the library reads at each invocation: a bad value must not wait for the first one.
for _name in ("RECONCILE_INDEX", "OUTBOX_ROW_LIFETIME_SECONDS", "INBOX_MARKER_LIFETIME_SECONDS"):
    whole_number(os.environ, _name, default=0)
