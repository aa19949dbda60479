"""The emulator: ministack in a process of its own, bound to loopback, with role enforcement on."""

from local.emulator.process import Emulator, reserve_port, start_emulator

__all__ = ["Emulator", "reserve_port", "start_emulator"]
