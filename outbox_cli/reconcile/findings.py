"""Findings of a reconciliation: counts of all events, and the names of those that need an operator."""

from dataclasses import dataclass, field

NAMES_MOST = 10_000


@dataclass
class Named:
    """Events of one kind: how many, and the first of them by id, each with a reason if there is one."""

    count: int = 0
    reasons: dict[str, str] = field(default_factory=dict)

    def add(self, event_id: str, reason: str = "") -> None:
        """One more; beyond NAMES_MOST it is only counted, so that memory stays flat."""
        self.count += 1
        if len(self.reasons) < NAMES_MOST:
            self.reasons[event_id] = reason


@dataclass
class Reconciliation:
    """Findings of a run so far, and what it sent."""

    rows: int = 0
    applied: int = 0
    on_their_way: int = 0
    expired: int = 0
    lost: Named = field(default_factory=Named)
    sent: int = 0
    unsent: Named = field(default_factory=Named)
    """Lost events that the queue did not accept, if any were to be sent."""
    parked: Named = field(default_factory=Named)
    conflicting: Named = field(default_factory=Named)
    read_units: float = 0.0
    waiting_seconds: float = 0.0
    """How long the run is going to wait now, before it looks again at rows of unknown age."""

    @property
    def read_units_per_event(self) -> float:
        """Read units of the search for each stored event."""
        return self.read_units / self.rows if self.rows else 0.0

    @property
    def ok(self) -> bool:
        """Whether nothing is left for somebody to do."""
        return self.lost.count == self.sent and not self.parked.count and not self.conflicting.count
