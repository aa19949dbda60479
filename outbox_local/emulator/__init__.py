"""The emulator: ministack in a process of its own, bound to loopback, with role enforcement on."""

from outbox_local.emulator.process import reserve_port, start_emulator

__all__ = ["reserve_port", "start_emulator"]
