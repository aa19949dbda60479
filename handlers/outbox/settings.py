"""Environment variables of the functions, read once at import."""

from collections.abc import Mapping

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
