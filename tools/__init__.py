"""Tools of this repository, never shipped: benchmarks, simulation, soak, rights table, pictures."""
