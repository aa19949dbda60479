"""Answer of `outbox capacity`: settings, limits, latency and cost."""

from dataclasses import dataclass
from fractions import Fraction

from outbox_cli.cost.bills import Bill
from outbox_cli.cost.demand import Demand
from outbox_cli.cost.event_units import EventUnits, Traffic
from outbox_cli.cost.service_limits import Limit


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Values of the stack's configuration; reserved concurrency covers all runs that its mapping starts at once."""

    relay_reserved_concurrency: int
    consumer_reserved_concurrency: int
    stream_batch_size: int
    stream_batch_window_seconds: int
    stream_parallelization: int
    queue_batch_size: int
    queue_batch_window_seconds: int
    queue_maximum_concurrency: int
    visibility_timeout_seconds: int
    aggregate_shards: int
    reconcile_index: bool
    reconciler: bool

    @property
    def config_paths(self) -> dict[str, int | bool]:
        """The values by the paths that `pulumi config set --path` takes: those of a group have its name before them."""
        return {_config_path(name): value for name, value in vars(self).items()}


def _config_path(name: str) -> str:
    first, *rest = name.removeprefix("relay_").removeprefix("consumer_").split("_")
    group = name.partition("_")[0] + "." if name.startswith(("relay_", "consumer_")) else ""
    return group + first + "".join(word.capitalize() for word in rest)


@dataclass(frozen=True)
class Use:
    """How much of a limit a demand needs."""

    limit: Limit
    needed: int

    @property
    def share(self) -> Fraction:
        """Of what is granted without asking."""
        return Fraction(self.needed, self.limit.default)

    @property
    def must_be_raised(self) -> bool:
        """Whether AWS has to be asked for more."""
        return self.needed > self.limit.default and not self.is_impossible

    @property
    def is_impossible(self) -> bool:
        """Whether more is needed than AWS documents that anybody can get."""
        return self.limit.maximum is not None and self.needed > self.limit.maximum


@dataclass(frozen=True)
class Stage:
    """A part of the way from the order's commit to its counted total."""

    name: str
    p50_milliseconds: int
    p99_milliseconds: int


@dataclass(frozen=True, kw_only=True)
class Plan:
    """The answer; the bill is that of the first 30 days, `ramp_seconds` the way from idle to the full rate."""

    demand: Demand
    settings: Settings
    stream_shards: int
    traffic: Traffic
    units: EventUnits
    uses: tuple[Use, ...]
    warm_write_units: dict[str, int]
    stages: tuple[Stage, ...]
    ramp_seconds: int
    bill: Bill
    stored_gigabytes_per_month: Fraction
    reconciled_events_per_second: int
    """The rate up to which the reconciler's runs end in time, with prod's settings."""

    @property
    def bottleneck(self) -> Use:
        """The limit that this rate uses most of."""
        return max(self.uses, key=lambda use: use.share)

    @property
    def impossible(self) -> tuple[Use, ...]:
        """The limits beyond which nothing is documented; empty when the plan can work."""
        return tuple(use for use in self.uses if use.is_impossible)
