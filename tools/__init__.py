"""Tools of this repository, never shipped: benchmarks, simulation, soak, rights table, pictures."""

import outbox_cli as outbox_cli  # it makes the walkthrough's domain importable
