"""The stack's configuration: read once, checked as a whole, before any resource exists.

A key is an argument's name in camelCase, and sets that argument of every component that takes it. A group sets
arguments of one component alone: `consumer: {queueBatchSize: 99}`. The reconciler and monitoring exist where their
group does: `reconciler: {}`.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from . import limits
from .arguments import settings_of
from .idempotent_consumer import IdempotentConsumerArgs, require_consumer_settings
from .lifetimes import require_index_for_reconciler
from .monitoring import MonitoringArgs, require_monitoring_settings
from .outbox_source import OutboxSourceArgs, require_source_settings
from .reconciler import ReconcilerArgs, require_reconciler_settings
from .relations import require_alarms_in_time
from .relay import RelayArgs, require_relay_settings
from .validation import InvalidSettingError, Row

OTHER_NAMESPACES = ("aws", "pulumi")
"""Whose configuration this program leaves to others: the provider and the engine."""

COMPONENTS: Mapping[str, tuple[type[Any], Callable[[Mapping[str, object]], None]]] = {
    "source": (OutboxSourceArgs, require_source_settings),
    "relay": (RelayArgs, require_relay_settings),
    "consumer": (IdempotentConsumerArgs, require_consumer_settings),
    "reconciler": (ReconcilerArgs, require_reconciler_settings),
    "monitoring": (MonitoringArgs, require_monitoring_settings),
}
OPTIONAL = ("reconciler", "monitoring")


class ConfigurationError(pulumi.RunError):
    """Raised when the stack's configuration cannot be used; Pulumi shows the sentence without a traceback."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of each component, as its arguments; `None` for a component that the stack does not have."""

    source: OutboxSourceArgs
    relay: RelayArgs
    consumer: IdempotentConsumerArgs
    reconciler: ReconcilerArgs | None
    monitoring: MonitoringArgs | None


def read_settings() -> Settings:
    """The settings of the running stack.

    Raises:
        ConfigurationError: an unknown key, a wrong value, or no engine to ask.
    """
    if pulumi.runtime.get_root_resource() is None:
        # Without this the SDK fails later, at the first export, and says nothing of the reason.
        raise ConfigurationError(
            "No Pulumi engine runs this program: start it with pulumi preview or pulumi up; "
            "a test calls pulumi.runtime.set_mocks first."
        )
    config = pulumi.Config()
    # Config answers for keys one knows; a misspelt one only shows in the maps it reads from.
    everything = {*CONFIG.get(), *get_config_env()}
    known = (config.name, *OTHER_NAMESPACES)
    if foreign := sorted(key for key in everything if key.partition(":")[0] not in known):
        raise ConfigurationError(
            f"The configuration has {foreign[0]}, which nothing here reads. Its keys must begin with "
            f"{', '.join(known)}."
        )
    given = {key for key in everything if key.startswith(f"{config.name}:")}
    values = {key.partition(":")[2]: pulumi.runtime.get_config(key) or "" for key in given}
    return parse_settings(config.name, values)


def parse_settings(project: str, values: Mapping[str, str]) -> Settings:
    """Settings from the configuration of a project: key without namespace to text, as Pulumi hands it over.

    Raises:
        ConfigurationError: an unknown key, or a wrong value.
    """
    try:
        settings = _settings(values)
        for name, (_, require) in COMPONENTS.items():
            if (args := getattr(settings, name)) is not None:
                require(args)
        _require_together(settings)
    except InvalidSettingError as error:
        sentence = with_config_keys(str(error), limits.ROWS)
        raise ConfigurationError(f"The configuration of {project} is refused: {sentence}") from error
    return settings


def config_key(field: str) -> str:
    """The configuration key of an argument: `some_name` -> `someName`."""
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


def with_config_keys(sentence: str, fields: Iterable[str]) -> str:
    """A sentence on arguments, with the configuration keys in their place."""
    return re.sub(rf"\b({'|'.join(fields)})\b", lambda field: config_key(field[0]), sentence)


def _settings(values: Mapping[str, str]) -> Settings:
    shared = {key: text for key, text in values.items() if key not in COMPONENTS}
    rows = {
        name: {config_key(field): row for field, row in settings_of(each[0]).items()}
        for name, each in COMPONENTS.items()
    }
    known = {key for each in rows.values() for key in each}
    if unknown := sorted(shared.keys() - known):
        raise InvalidSettingError(
            f"{unknown[0]} is no setting. The settings are {', '.join(sorted(known))}, and the groups "
            f"{', '.join(COMPONENTS)}."
        )
    arguments: dict[str, Any] = {
        name: _arguments(name, rows[name], shared, values.get(name)) for name in COMPONENTS
    }
    return Settings(**arguments)


def _arguments(
    name: str, rows: Mapping[str, Row], shared: Mapping[str, str], group_text: str | None
) -> dict[str, Any] | None:
    """The arguments of one component: what all share, and over it what its group says."""
    group = _group(name, group_text)
    if group is None:
        return None
    if unknown := sorted(group.keys() - rows.keys()):
        raise InvalidSettingError(
            f"{unknown[0]} is no setting of {name}. Its settings are {', '.join(sorted(rows))}."
        )
    parsed = {key: rows[key].parse(text) for key, text in shared.items() if key in rows}
    return {rows[key].field: value for key, value in {**parsed, **group}.items()}


def _group(name: str, text: str | None) -> Mapping[str, object] | None:
    """A component's group of settings; `true` and `false` say that the component exists, or not."""
    if text is None:
        return None if name in OPTIONAL else {}
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    if isinstance(value, dict):
        return value
    if name in OPTIONAL and isinstance(value, bool):
        return {} if value else None
    raise InvalidSettingError(f"{name} must be a group of settings such as {{}}, but is {text!r}.")


def _require_together(settings: Settings) -> None:
    """Check settings of several components against one another."""
    require_index_for_reconciler(
        has_index=limits.RECONCILE_INDEX.read(settings.source),
        has_reconciler=settings.reconciler is not None,
    )
    if settings.monitoring is not None:
        require_alarms_in_time(
            message_age_seconds=limits.ALARM_MESSAGE_AGE_SECONDS.read(settings.monitoring),
            queue_seconds=limits.QUEUE_RETENTION_SECONDS.read(settings.consumer),
            stream_age_seconds=limits.ALARM_STREAM_AGE_SECONDS.read(settings.monitoring),
            record_seconds=limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS.read(settings.relay),
        )
