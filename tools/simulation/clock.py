"""Time that passes only when it is told to."""


class VirtualClock:
    """A clock as `outbox_local.event_sources` wants it; waiting moves it on at once."""

    def __init__(self, start_epoch_seconds: float) -> None:
        self._now = start_epoch_seconds

    def now(self) -> float:
        """Epoch seconds."""
        return self._now

    def wait(self, seconds: float) -> None:
        """Let so much time pass."""
        self._now += seconds

    def stopped(self) -> bool:
        """Never: whoever steps a poller decides about its next step."""
        return False
