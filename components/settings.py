"""The stack's settings: read once, checked as a whole, before any resource exists."""

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pulumi
from pulumi.runtime.config import CONFIG, get_config_env

from . import limits
from .lifetimes import (
    reconciler_start,
    require_index_for_reconciler,
    require_marker_lifetime,
    require_row_lifetime,
)
from .relations import (
    require_alarms_in_time,
    require_batch_window,
    require_dead_letter_retention,
    require_reconciler_looks,
    require_reserved_for_mapping,
    require_topics,
    require_visibility,
)
from .validation import (
    NOT_RESERVED,
    RUNBOOK,
    Choice,
    InvalidSettingError,
    OneOf,
    WholeNumber,
    reserved_concurrency,
    runbook_of,
)

OTHER_NAMESPACES = ("aws", "pulumi")
"""Whose configuration this program leaves to others: the provider and the engine."""

ORDER_ID_OR_NONE = re.compile(r"[a-z0-9-]{0,40}")
"""An order id as handlers/orders.py accepts it, or nothing; a test holds them together."""


class ConfigurationError(pulumi.RunError):
    """Raised when the stack's configuration cannot be used; Pulumi shows the sentence without a traceback."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a stack may choose: field `some_name` is configuration key `someName`, told in Pulumi.yaml."""

    protect_tables: bool = False
    fault_after_commit: str = ""
    dependencies: str = limits.DEPENDENCIES.default
    architecture: str = limits.ARCHITECTURE.default
    function_timeout_seconds: int = limits.FUNCTION_TIMEOUT_SECONDS.default
    function_memory_megabytes: int = limits.FUNCTION_MEMORY_MEGABYTES.default
    log_retention_days: int = limits.LOG_RETENTION_DAYS.default
    log_format: str = limits.LOG_FORMAT.default
    command_reserved_concurrency: int = NOT_RESERVED
    relay_reserved_concurrency: int = NOT_RESERVED
    consumer_reserved_concurrency: int = NOT_RESERVED
    stream_batch_size: int = limits.STREAM_BATCH_SIZE.default
    stream_batch_window_seconds: int = limits.STREAM_BATCH_WINDOW_SECONDS.default
    stream_parallelization: int = limits.STREAM_PARALLELIZATION.default
    stream_maximum_retries: int = limits.STREAM_MAXIMUM_RETRIES.default
    stream_maximum_record_age_seconds: int = limits.STREAM_MAXIMUM_RECORD_AGE_SECONDS.default
    allow_unlimited_retries: bool = False
    failure_queue: bool = False
    queue_retention_seconds: int = limits.QUEUE_RETENTION_SECONDS.default
    dead_letter_retention_seconds: int = limits.DEAD_LETTER_RETENTION_SECONDS.default
    visibility_timeout_seconds: int = limits.VISIBILITY_TIMEOUT_SECONDS.default
    maximum_receives: int = limits.MAXIMUM_RECEIVES.default
    queue_batch_size: int = limits.QUEUE_BATCH_SIZE.default
    queue_batch_window_seconds: int = limits.QUEUE_BATCH_WINDOW_SECONDS.default
    queue_maximum_concurrency: int = limits.QUEUE_MAXIMUM_CONCURRENCY.default
    aggregate_shards: int = limits.AGGREGATE_SHARDS.default
    monitoring: bool = False
    alarm_topic_arns: str = ""
    runbook_url: str = RUNBOOK
    alarm_dead_letters: int = limits.ALARM_DEAD_LETTERS.default
    alarm_message_age_seconds: int = limits.ALARM_MESSAGE_AGE_SECONDS.default
    alarm_stream_age_seconds: int = limits.ALARM_STREAM_AGE_SECONDS.default
    alarm_command_errors: int = limits.ALARM_COMMAND_ERRORS.default
    alarm_function_errors: int = limits.ALARM_FUNCTION_ERRORS.default
    alarm_throttles: int = limits.ALARM_THROTTLES.default
    reconcile_index: bool = False
    reconciler: bool = False
    reconciler_interval_minutes: int = limits.RECONCILER_INTERVAL_MINUTES.default
    reconciler_margin_seconds: int = limits.RECONCILER_MARGIN_SECONDS.default
    reconciler_horizon_seconds: int = limits.RECONCILER_HORIZON_SECONDS.default
    reconciler_start: str = ""
    reconciler_timeout_seconds: int = limits.RECONCILER_TIMEOUT_SECONDS.default
    reconciler_memory_megabytes: int = limits.RECONCILER_MEMORY_MEGABYTES.default
    outbox_row_lifetime_seconds: int = limits.OUTBOX_ROW_LIFETIME_SECONDS.default
    inbox_marker_lifetime_seconds: int = limits.INBOX_MARKER_LIFETIME_SECONDS.default

    def __post_init__(self) -> None:
        """Check every range, then every relation.

        Raises:
            InvalidSettingError: a value, or several together, cannot work on AWS.
        """
        if not ORDER_ID_OR_NONE.fullmatch(self.fault_after_commit):
            raise InvalidSettingError(
                f"fault_after_commit is {self.fault_after_commit!r}; accepted is an order id "
                "(1-40 lowercase letters, digits or hyphens), or nothing for no fault."
            )
        values = dataclasses.asdict(self)
        for rule in vars(limits).values():
            if isinstance(rule, OneOf | Choice):
                rule.read(values)
            elif isinstance(rule, WholeNumber):
                rule.read(values, allow_unlimited=self.allow_unlimited_retries)
        reserved = {
            purpose: reserved_concurrency(values, f"{purpose}_reserved_concurrency")
            for purpose in ("command", "relay", "consumer")
        }
        require_reserved_for_mapping(self.queue_maximum_concurrency, reserved["consumer"])
        require_visibility(
            self.visibility_timeout_seconds, self.function_timeout_seconds, self.queue_batch_window_seconds
        )
        require_dead_letter_retention(self.dead_letter_retention_seconds, self.queue_retention_seconds)
        require_batch_window(self.queue_batch_size, self.queue_batch_window_seconds)
        require_index_for_reconciler(has_index=self.reconcile_index, has_reconciler=self.reconciler)
        require_reconciler_looks(
            margin_seconds=self.reconciler_margin_seconds, horizon_seconds=self.reconciler_horizon_seconds
        )
        reconciler_start(self.reconciler_start)
        require_row_lifetime(self.outbox_row_lifetime_seconds)
        require_marker_lifetime(
            self.inbox_marker_lifetime_seconds,
            row_lifetime_seconds=self.outbox_row_lifetime_seconds,
            queue_seconds=self.queue_retention_seconds,
            dead_letter_seconds=self.dead_letter_retention_seconds,
        )
        require_topics(self.topic_arns)
        runbook_of(values)
        if self.monitoring:
            require_alarms_in_time(
                message_age_seconds=self.alarm_message_age_seconds,
                queue_seconds=self.queue_retention_seconds,
                stream_age_seconds=self.alarm_stream_age_seconds,
                record_seconds=self.stream_maximum_record_age_seconds,
            )

    @property
    def topic_arns(self) -> list[str]:
        """The topics that alarms tell; the configuration holds them as one text."""
        return self.alarm_topic_arns.split()


def read_settings() -> Settings:
    """The settings of the running stack.

    Raises:
        ConfigurationError: an unknown key, a value that is not accepted, or no engine to ask.
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
            f"The configuration has {foreign[0]}, which nothing here reads; "
            f"accepted are keys of {', '.join(known)}."
        )
    given = {key for key in everything if key.startswith(f"{config.name}:")}
    values = {key.partition(":")[2]: pulumi.runtime.get_config(key) for key in given}
    return parse_settings(config.name, values)


def parse_settings(project: str, values: Mapping[str, str]) -> Settings:
    """Settings from the configuration of a project: key without namespace to text, as Pulumi hands it over.

    Raises:
        ConfigurationError: an unknown key, or a value that is not accepted.
    """
    fields = {config_key(field.name): field for field in dataclasses.fields(Settings)}
    if unknown := sorted(values.keys() - fields.keys()):
        raise ConfigurationError(
            f"The configuration has {project}:{unknown[0]}, which is no setting; "
            f"accepted are {', '.join(sorted(fields))}."
        )
    given = [(key, field) for key, field in fields.items() if key in values]
    try:
        return Settings(**{field.name: _parse(key, field.type, values[key]) for key, field in given})
    except InvalidSettingError as error:
        names = "|".join(field.name for field in fields.values())
        in_keys = re.sub(rf"\b({names})\b", lambda match: config_key(match[0]), str(error))
        raise ConfigurationError(f"The configuration of {project} is refused: {in_keys}") from error


def config_key(field: str) -> str:
    """The configuration key of a field: `some_name` -> `someName`."""
    first, *rest = field.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _parse(key: str, kind: object, text: str) -> Any:
    if kind is int and re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    if kind is bool and text in {"true", "false"}:
        return text == "true"
    if kind is str:
        return text
    accepted = "true or false" if kind is bool else "a whole number"
    raise InvalidSettingError(f"{key} is {text!r}; accepted is {accepted}.")
